package record_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/record/deliver"
)

// A page that changes without an end, for an ingest that takes a batch a second:
// memory stays where it is, what is lost is counted, and the page answers.
func TestAFloodCostsNoMemory(t *testing.T) {
	here, _ := serve(t, map[string]string{"/": `<!doctype html><p id=p>x</p><script>
		n = 0; on = true;
		(async () => { for (; on && n < 60000; await new Promise((r) => setTimeout(r, 10))) for (let i = 0; i < 200; i++) { p.firstChild.data = 'tick ' + ++n; await null } })();
		</script>`})
	l := newLab(t)
	l.ingest.Script(slices.Repeat([]apptest.Reply{{Delay: time.Second}}, 1000)...)
	l.open(here)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc >> 20
	}
	before := heap()
	apptest.Await(t, "the flood to end", func() bool { return l.eval(l.tab().MainFrame(), "n") == "60000" })
	apptest.Await(t, "the last of it", func() bool { return l.eval(l.tab().MainFrame(), "on = false") == "false" })
	if after := heap(); after > before+48 {
		t.Errorf("%d MiB, and %d after", before, after)
	}
	l.ingest.Script()
	r := l.finish()
	if r.Recorded < 50_000 || r.Recorded != r.Sent+r.Lost() || r.Dropped[deliver.LostInQueue] == 0 || r.Invalid != 0 {
		t.Errorf("account %+v", r)
	}
	// Of what was kept, the snapshots and facts are all there.
	if n := count(l.pages(), 2, 0); n < 2 || !strings.Contains(strings.Join(l.facts("marker"), "\n"), "navigated") {
		t.Errorf("%d snapshots, markers %v", n, l.facts("marker"))
	}
}
