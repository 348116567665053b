package wall_test

import (
	"fmt"
	"strings"
	"testing"
)

// What most events of a busy page are.
func BenchmarkChange(b *testing.B) {
	d := newDocument()
	d.Event(snapshot(paragraph(5, "tick")), now())
	raw := mutation(``, ``, `{"id":6,"value":"tick 12345"}`, ``)
	b.ReportAllocs()
	for b.Loop() {
		d.Event(raw, now())
	}
}

// A page of some ten thousand nodes.
func BenchmarkSnapshot(b *testing.B) {
	var nodes strings.Builder
	for i := range 5000 {
		if i > 0 {
			nodes.WriteByte(',')
		}
		nodes.WriteString(paragraph(10+2*i, fmt.Sprint("Order ", i, " of a customer with a name")))
	}
	raw := snapshot(nodes.String())
	d := newDocument()
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		d.Event(raw, now())
	}
}
