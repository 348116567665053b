package lines

import "testing"

// A chunk may come from a file that somebody made: whatever is in it, reading ends,
// with events or an error.
func FuzzUnpack(f *testing.F) {
	for _, events := range [][]Event{nil, {{Kind: "marker", Time: 1.8e12, Data: []byte(`{"label":"x"}`)}}, {{Kind: "", Data: []byte("null")}, {Kind: "rrweb", Data: []byte("[[]]")}}} {
		packed, _, err := Pack(events)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(packed)
		f.Add(packed[:len(packed)/2])
	}
	f.Add([]byte("no gzip"))
	f.Fuzz(func(t *testing.T, packed []byte) {
		events := []Event{}
		for e, err := range Unpack(packed) {
			if err != nil {
				return
			}
			events = append(events, e)
		}
		again, _, err := Pack(events)
		if err != nil {
			t.Fatalf("what was read can't be written: %v", err)
		}
		n := 0
		for _, err := range Unpack(again) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != len(events) {
			t.Errorf("%d events became %d", len(events), n)
		}
	})
}
