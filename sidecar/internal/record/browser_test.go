package record_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
)

func TestTry(t *testing.T) {
	l := newLab(t)
	l.goTo("/login")
	l.eval(l.tab().MainFrame(), "document.querySelector('#user').value = 'secretuser1'; 1")
	time.Sleep(500 * time.Millisecond)
	l.goTo("/frames")
	time.Sleep(2500 * time.Millisecond)
	fmt.Println(browsertest.Eval(t, l.tab().MainFrame(), "Object.getOwnPropertyNames(window).filter((n) => n.includes('aa_') || n.includes('rrweb')).join()"))
	r := l.finish()
	fmt.Printf("%+v\n", r)
	for _, e := range l.ingest.Events() {
		fmt.Printf("%s %.0f %.300s\n", e.Kind, e.Timestamp, e.Data)
	}
	fmt.Println(l.ingest.Problems(), l.tab().Messages(true))
}
