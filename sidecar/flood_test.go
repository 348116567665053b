package main_test

import (
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// flood changes a document ten thousand times a second, each time an event of its
// own, while window.on.
const flood = `<!doctype html><title>Flood</title><p id=p>x</p><script>
	on = true; n = 0;
	(async () => {
		for (const start = performance.now(); on; await new Promise((r) => setTimeout(r, 5))) {
			for (const until = (performance.now() - start) * 10; n < until;) { p.firstChild.data = 'tick ' + ++n; await null }
		}
	})();
</script>`

// BenchmarkCallsDuringAFlood measures tool calls on a recorded page, quiet and while
// another tab makes ten thousand events a second. It prints the 95th percentile of
// both, in milliseconds, and their ratio.
func BenchmarkCallsDuringAFlood(b *testing.B) {
	site := apptest.Serve(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/flood" {
			io.WriteString(w, flood)
			return
		}
		io.WriteString(w, `<!doctype html><title>Quiet</title><h1>Quiet</h1><button id=b onclick="b.textContent = ++n">0</button><script>n = 0</script>`)
	}))
	ingest := apptest.NewIngest(b, 0)
	ingest.Take("action")
	recording := ingest.Config()
	recording["actions"] = true
	p := apptest.Sidecar(b, apptest.Config{"app_url": site, "recording": recording})
	p.MCP.Initialize()
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/"})
	calls := max(b.N, 40)
	measure := func() time.Duration {
		took := make([]time.Duration, calls)
		for i := range took {
			begin := time.Now()
			p.MCP.Must("browser_click", apptest.Args{"target": "#b", "element": "the button"})
			took[i] = time.Since(begin)
		}
		slices.Sort(took)
		return took[len(took)*95/100]
	}
	measure() // caches
	b.ResetTimer()
	quiet := measure()
	p.MCP.Must("browser_tabs", apptest.Args{"action": "new", "url": "/flood"})
	p.MCP.Must("browser_tabs", apptest.Args{"action": "select", "index": 0})
	begin := time.Now()
	busy := measure()
	during := time.Since(begin)
	b.StopTimer()
	p.MCP.Must("browser_tabs", apptest.Args{"action": "select", "index": 1})
	made := result(p.MCP.Must("browser_evaluate", apptest.Args{"function": "() => { on = false; return n }"}))
	p.Stop()
	for _, e := range p.Events() {
		if e.Type == "recording" {
			b.Logf("%s changes in %v and more; account %v", made, during, e.Detail)
		}
	}
	b.ReportMetric(float64(quiet.Microseconds())/1000, "p95-quiet-ms")
	b.ReportMetric(float64(busy.Microseconds())/1000, "p95-flood-ms")
	b.ReportMetric(float64(busy)/float64(quiet), "ratio")
}
