package browser_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/browsertest"
)

// TestLeftDocumentsAreCollected: a page holds on weakly to the documents that its
// frame has shown. They are collected in a pause once there are enough of them.
func TestLeftDocumentsAreCollected(t *testing.T) {
	site := apptest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path != "/" {
			io.WriteString(w, "<!doctype html><p>frame")
			return
		}
		io.WriteString(w, `<!doctype html><iframe id=f src=/f></iframe><script>
			shown = []
			step = (n) => new Promise((done) => {
				shown.push(new WeakRef(f.contentDocument))
				f.onload = done
				f.src = '/f?' + n
			})
			alive = () => shown.filter((r) => r.deref()).length</script>`)
	}))
	tab := browsertest.Free(t).Tabs()[0]
	goTo(t, tab, site+"/")
	steps := func(from, to int) {
		for n := from; n < to; n++ {
			eval(t, tab.MainFrame(), fmt.Sprintf("step(%d).then(() => 1)", n))
		}
	}
	const few, many = 4, 12
	const pause = time.Second       // some times what tidying waits for
	const bySelf = 15 * time.Second // V8 would do it after some thirty
	steps(0, few)
	time.Sleep(pause) // that nothing happens takes time to see
	if n := eval(t, tab.MainFrame(), "alive()"); n != fmt.Sprint(few) {
		t.Errorf("%s of %d documents are there: they are too few to hold the page up", n, few)
	}
	steps(few, many)
	for begin := time.Now(); ; {
		time.Sleep(pause) // asking is none
		n := eval(t, tab.MainFrame(), "alive()")
		if n == "0" {
			return
		}
		if time.Since(begin) > bySelf {
			t.Fatalf("%s of %d documents that were left are still there", n, many)
		}
	}
}
