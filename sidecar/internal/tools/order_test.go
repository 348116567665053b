package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// start runs a tool beside the test.
func (w *bench) start(ctx context.Context, name string, a args) <-chan result {
	raw, err := json.Marshal(a)
	w.must(err)
	done := make(chan result, 1)
	go func() { done <- read(w.t, w.set.Call(ctx, name, raw)) }()
	return done
}

func TestActionsOnATabWaitForEachOther(t *testing.T) {
	w := open(t)
	w.show(`<button onclick="log.push('in ' + this.id); const end = performance.now() + 300; while (performance.now() < end); log.push('out ' + this.id)" id=a>A</button>
		<button onclick="log.push('in b'); log.push('out b')" id=b disabled>B</button><input id=c oninput="log.push('typed ' + value)"><script>var log = []; setTimeout(() => b.disabled = false, 2000)</script>`)
	slow := w.start(w.within(patience), "browser_click", args{"target": "#b"}) // waits until it is enabled
	await(t, "the first to begin", func() bool { return strings.Contains(w.snapshot(), "button \"B\"") })
	time.Sleep(100 * time.Millisecond) // for the call above to have the tab; less would only make the test easier
	typed := w.start(w.within(patience), "browser_type", args{"target": "#c", "text": "x"})
	// Reading overtakes.
	for _, tool := range []string{"browser_snapshot", "browser_console_messages", "browser_network_requests", "browser_take_screenshot"} {
		w.quickly(tool, nil)
	}
	select {
	case r := <-typed:
		t.Fatalf("the second action did not wait for the first: %s", r.text)
	default:
	}
	other := w.agent(t)
	other.show("<h1>Other</h1>")
	other.quickly("browser_click", args{"target": "h1"}) // another tab does not wait
	if r := <-slow; r.isError {
		t.Error(r.text)
	}
	if r := <-typed; r.isError {
		t.Error(r.text)
	}
	if got := w.js("() => log.join()"); got != `"in b,out b,typed x"` {
		t.Errorf("the page saw %s", got)
	}
}

func TestManyAgentsAtOnce(t *testing.T) {
	w := open(t)
	w.show(`<button onclick="n++; for (const end = performance.now() + 5; performance.now() < end;);" id=x>Count</button><script>var n = 0</script>`)
	var all sync.WaitGroup
	const agents, clicks = 4, 5
	for range agents {
		agent := *w
		agent.set = w.kit.NewSet()
		all.Go(func() {
			for range clicks {
				if r := agent.call("browser_click", args{"target": "#x"}); r.isError || !strings.Contains(r.text, `- button "Count"`) {
					t.Errorf("%s", r.text)
				}
				if r := agent.call("browser_snapshot", nil); r.isError {
					t.Errorf("%s", r.text)
				}
			}
		})
	}
	all.Wait()
	if got, want := w.js("() => n"), fmt.Sprint(agents*clicks); got != want {
		t.Errorf("%s clicks of %s arrived", got, want)
	}
}

func TestACancelledCallStopsWorking(t *testing.T) {
	w := open(t)
	w.show(`<button id=x disabled onclick="pressed = true">Later</button><script>var pressed = false</script>`)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	call := w.start(ctx, "browser_click", args{"target": "#x"})
	queued := w.start(ctx, "browser_click", args{"target": "#x"})
	time.Sleep(200 * time.Millisecond) // for the calls to be at it; less would only make the test easier
	cancel()
	for _, c := range []<-chan result{call, queued} {
		select {
		case r := <-c:
			if !r.isError {
				t.Errorf("a cancelled call: %s", r.text)
			}
		case <-time.After(soon):
			t.Fatal("a cancelled call goes on")
		}
	}
	w.js("() => { x.disabled = false }")
	w.ok("browser_wait_for", args{"time": 0.3, "snapshot": "none"})
	if got := w.js("() => pressed"); got != "false" {
		t.Error("a cancelled click was done")
	}
	w.ok("browser_click", args{"target": "#x"}) // the tab is free
	if got := w.js("() => pressed"); got != "true" {
		t.Error("a later click was not done")
	}
}

func TestACallThatRunsOutOfTimeSaysWhatItWaitedFor(t *testing.T) {
	t.Parallel() // most of its time is waiting
	w := open(t)
	w.mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	w.show(`<button id=x disabled>Never</button><a href=/never>Go</a>`)
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"browser_click", args{"target": "#x"}, "TimeoutError: "},
		{"browser_evaluate", args{"function": "() => new Promise(() => {})"}, "TimeoutError: the call ran out of its time: wait for the function's value: "},
		{"browser_navigate", args{"url": w.url + "/never"}, "TimeoutError: the call ran out of its time: wait for http://127.0.0.1:"},
		{"browser_wait_for", args{"text": "never"}, "TimeoutError: "},
	} {
		start := time.Now()
		r := w.callIn(w.within(700*time.Millisecond), c.tool, c.args)
		if took := time.Since(start); !r.isError || !strings.HasPrefix(r.text, "### Error\n"+c.want) || took > soon {
			t.Errorf("%s after %v: %s", c.tool, took, r.text)
		}
		if c.tool == "browser_navigate" {
			w.visit("/login")
		}
	}
}
