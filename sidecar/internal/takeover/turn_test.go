package takeover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

func TestObserves(t *testing.T) {
	for _, c := range []struct {
		tool, args string
		want       bool
	}{
		{"browser_snapshot", `{}`, true},
		{"browser_take_screenshot", `{}`, true},
		{"browser_console_messages", `{}`, true},
		{"browser_network_requests", `{}`, true},
		{"browser_network_request", `{"index":1}`, true},
		{"browser_wait_for", `{"time":1}`, true},
		{"browser_find", `{}`, true},
		{"browser_verify_value", `{}`, true},
		{"browser_pdf_save", `{}`, true},
		{"browser_generate_locator", `{}`, true},
		{"browser_tabs", `{"action":"list"}`, true},
		{"browser_tabs", `{"action":"select","index":0}`, false},
		{"browser_tabs", `{"action":"new"}`, false},
		{"browser_tabs", `{"action":"close"}`, false},
		{"browser_tabs", `{"Action":"list"}`, false},
		{"browser_tabs", `{"action":"new","action":"list"}`, true}, // the tool reads the last one, too
		{"browser_tabs", `{"action":["list"]}`, false},
		{"browser_tabs", `{}`, false},
		{"browser_tabs", ``, false},
		{"browser_tabs", `null`, false},
		{"browser_navigate", `{"url":"/"}`, false},
		{"browser_click", `{}`, false},
		{"browser_type", `{}`, false},
		{"browser_evaluate", `{}`, false},
		{"browser_press_key", `{}`, false},
		{"browser_file_upload", `{}`, false},
		{"browser_handle_dialog", `{}`, false},
		{"browser_close", `{}`, false},
		{"browser_resize", `{}`, false},
		{"Browser_snapshot", `{}`, false},
		{"nobody_knows", ``, false},
		{"", ``, false},
	} {
		if got := Observes(c.tool, json.RawMessage(c.args)); got != c.want {
			t.Errorf("%s %s: observes %v", c.tool, c.args, got)
		}
	}
}

// admitted runs Admit and gives what came of it.
func admitted(l *Lease, ctx context.Context, tool string) <-chan string {
	out := make(chan string, 1)
	go func() {
		_, leave, err := l.Admit(ctx, tool, nil)
		var held *HeldError
		switch {
		case errors.As(err, &held):
			out <- fmt.Sprintf("held by %s, waited %v", Person{Name: held.By}.Called("somebody"), held.Waited)
		case errors.Is(err, proto.CodeStopping):
			out <- "stopping"
		case err != nil:
			out <- err.Error()
		default:
			leave()
			out <- "ran"
		}
	}()
	return out
}

func TestAdmission(t *testing.T) {
	const tool = "browser_click"
	errGone := errors.New("the caller is gone")
	for _, c := range []struct {
		name string
		wait time.Duration
		do   func(l *Lease, call func(string) <-chan string, cancel func()) string
		told string // after the first change
	}{
		{"nobody holds", waitTime, func(l *Lease, call func(string) <-chan string, _ func()) string {
			l.Release(1)
			return <-call(tool)
		}, "handed_back Ada by 1 held false"},
		{"an observing tool", waitTime, func(l *Lease, call func(string) <-chan string, _ func()) string {
			return <-call("browser_snapshot")
		}, ""},
		{"released while it waits", waitTime, func(l *Lease, call func(string) <-chan string, _ func()) string {
			r := call(tool)
			time.Sleep(10 * time.Millisecond)
			l.Release(1)
			return <-r
		}, "waiting 1 browser_click, handed_back Ada by 1 held false, waiting 0 "},
		{"never released", 30 * time.Millisecond, func(l *Lease, call func(string) <-chan string, _ func()) string {
			return <-call(tool)
		}, "waiting 1 browser_click, waiting 0 "},
		{"no wait at all", 0, func(l *Lease, call func(string) <-chan string, _ func()) string {
			return <-call(tool)
		}, "waiting 1 browser_click, waiting 0 "},
		{"handed to another, not to the agent", waitTime, func(l *Lease, call func(string) <-chan string, _ func()) string {
			r := call(tool)
			time.Sleep(5 * time.Second)
			l.Release(1)
			return <-r
		}, "waiting 1 browser_click, handed_back Ada by 1 held false, taken Grace by 3 held true, waiting 0 "},
		{"closed while it waits", waitTime, func(l *Lease, call func(string) <-chan string, _ func()) string {
			r := call(tool)
			time.Sleep(time.Second)
			l.Close()
			return <-r
		}, "waiting 1 browser_click, closed Ada by 1 held false, waiting 0 "},
		{"called after the close", waitTime, func(l *Lease, call func(string) <-chan string, _ func()) string {
			l.Close()
			return <-call(tool)
		}, "closed Ada by 1 held false"},
		{"its caller goes", waitTime, func(l *Lease, call func(string) <-chan string, cancel func()) string {
			r := call(tool)
			time.Sleep(time.Second)
			cancel()
			return <-r
		}, "waiting 1 browser_click, waiting 0 "},
		{"several wait", waitTime, func(l *Lease, call func(string) <-chan string, _ func()) string {
			a := call(tool)
			time.Sleep(time.Second)
			b := call("browser_type")
			time.Sleep(19 * time.Second)
			first := <-a
			l.Release(1)
			return first + "; " + <-b
		}, "waiting 1 browser_click, waiting 2 browser_click, waiting 1 browser_type, handed_back Ada by 1 held false, waiting 0 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l *Lease
				l, told := newLease(func(o *Options) {
					o.AgentWait = c.wait
					tell := o.OnChange
					o.OnChange = func(ch Change) {
						tell(ch)
						if c.name == "handed to another, not to the agent" && !ch.Held {
							l.Acquire(3, person("grace"))
						}
					}
				})
				l.Acquire(1, person("ada"))
				time.Sleep(time.Second)
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				call := func(tool string) <-chan string {
					r := admitted(l, ctx, tool)
					synctest.Wait()
					return r
				}
				got := c.do(l, call, func() { cancel(errGone) })
				synctest.Wait()
				want := map[string]string{
					"never released": "held by Ada, waited 30ms", "no wait at all": "held by Ada, waited 0s",
					"handed to another, not to the agent": "held by Grace, waited 20s",
					"closed while it waits":               "stopping", "its caller goes": errGone.Error(),
					"several wait": "held by Ada, waited 20s; ran",
				}[c.name]
				if want == "" {
					want = "ran"
				}
				if got != want {
					t.Errorf("came to %q, want %q", got, want)
				}
				if got := strings.Join(told.all()[1:], ", "); got != c.told {
					t.Errorf("told %q, want %q", got, c.told)
				}
				if w := l.Waiting(); w.Calls != 0 || w.Tool != "" {
					t.Errorf("waiting afterwards: %+v", w)
				}
			})
		})
	}
}

func TestWording(t *testing.T) {
	since := time.Now()
	for _, c := range []struct {
		err  HeldError
		want []string
	}{
		{HeldError{By: new("Ada"), Since: since, Waited: 20 * time.Second}, []string{"Ada is driving this browser by hand", "did not hand it back within 20 seconds", "Nothing was done."}},
		{HeldError{Since: since, Waited: 30 * time.Millisecond}, []string{"A person is driving this browser by hand", "within 0 seconds"}},
		{HeldError{By: new("Ada"), Waited: 1500 * time.Millisecond}, []string{"within 2 seconds"}},
		{HeldError{By: new("Ada"), Tool: "browser_type"}, []string{"Ada is driving this browser by hand", "browser_type", "part of its work"}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.err.Error(), want) {
				t.Errorf("%q lacks %q", c.err.Error(), want)
			}
		}
		if c.err.Tool != "" && strings.Contains(c.err.Error(), "Nothing was done") {
			t.Errorf("%q: something may have been done", c.err.Error())
		}
		if !errors.Is(&c.err, proto.CodeHeld) {
			t.Errorf("%q has not its code", c.err.Error())
		}
	}
}

// TestTakeoverOfACallAtWork takes control at each stage of a call.
func TestTakeoverOfACallAtWork(t *testing.T) {
	for _, c := range []struct {
		name, tool string
		work       func(ctx context.Context) // what the tool does from its admission
		settles    time.Duration             // when the person may drive
		again      bool
		interrupt  bool
	}{
		{"between admission and work", "browser_click", func(ctx context.Context) {
			time.Sleep(time.Second)
			if Enter(ctx) == nil || Check(ctx) == nil || ctx.Err() == nil {
				panic("it may still begin")
			}
		}, 500 * time.Millisecond, true, false},
		{"while it looks for its element", "browser_click", func(ctx context.Context) {
			if Enter(ctx) != nil {
				panic("it may not begin")
			}
			<-ctx.Done()
		}, 0, true, false},
		{"after its input, quick", "browser_click", func(ctx context.Context) {
			if Enter(ctx) != nil || Check(ctx) != nil {
				panic("it may not begin")
			}
			time.Sleep(1500 * time.Millisecond)
			if ctx.Err() != nil || Check(ctx) != nil {
				panic("it may not end")
			}
		}, time.Second, false, false},
		{"after its input, slow", "browser_type", func(ctx context.Context) {
			if Check(ctx) != nil {
				panic("it may not begin")
			}
			<-ctx.Done()
			var held *HeldError
			if !errors.As(context.Cause(ctx), &held) || !errors.As(Check(ctx), &held) {
				panic("it does not learn why")
			}
		}, FinishLimit, false, true},
		{"a tool that asks once", "browser_navigate", func(ctx context.Context) {
			if Enter(ctx) != nil {
				panic("it may not begin")
			}
			<-ctx.Done()
		}, FinishLimit, false, true},
		{"one that hangs", "browser_evaluate", func(ctx context.Context) {
			_ = Enter(ctx)
			time.Sleep(time.Minute)
		}, FinishLimit + StopLimit, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, _ := newLease()
				ctx, leave, err := l.Admit(t.Context(), c.tool, nil)
				if err != nil {
					t.Fatal(err)
				}
				var again bool
				var held error
				done := make(chan struct{})
				go func() {
					defer close(done)
					c.work(ctx)
					again, held = leave()
				}()
				time.Sleep(500 * time.Millisecond)
				l.Acquire(1, person("ada"))
				begin := time.Now()
				l.Settle(t.Context())
				if got := time.Since(begin); got != c.settles {
					t.Errorf("settled after %v, want %v", got, c.settles)
				}
				<-done
				if again != c.again || (held != nil) != c.interrupt {
					t.Errorf("again %v, held %v", again, held)
				}
			})
		})
	}
}

func TestSettleEndsWithControlAndContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLease()
		l.Settle(t.Context()) // nobody holds
		ctx, leave, err := l.Admit(t.Context(), "browser_navigate", nil)
		if err != nil || Check(ctx) != nil {
			t.Fatal(err)
		}
		l.Acquire(1, person("ada"))
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		begin := time.Now()
		l.Settle(gone)
		if time.Since(begin) != 0 {
			t.Error("it waited for nobody")
		}
		leave()
	})
}

func TestOutsideOfACallNothingIsInTheWay(t *testing.T) {
	if Check(t.Context()) != nil || Enter(t.Context()) != nil {
		t.Error("refused")
	}
}

// TestManyAtOnce lets people and calls fight over the lease: no call is ever let
// to its input while a person drives and has waited for the agent, everybody gets
// an answer, and nothing is left.
func TestManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _ := newLease(func(o *Options) { o.AgentWait = 50 * time.Millisecond })
		var mu sync.Mutex
		driving, acting := 0, 0
		var all sync.WaitGroup
		for who := range Key(4) {
			r := rand.New(rand.NewPCG(1, uint64(who)))
			all.Go(func() {
				for range 200 {
					time.Sleep(time.Duration(r.IntN(1000)) * time.Microsecond)
					if l.Acquire(who+1, person(fmt.Sprint("p", who))) != nil {
						continue
					}
					l.Settle(t.Context())
					mu.Lock()
					driving++
					if driving > 1 || acting > 0 {
						t.Errorf("%d drive and %d calls act", driving, acting)
					}
					mu.Unlock()
					time.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
					mu.Lock()
					driving--
					mu.Unlock()
					l.Release(who + 1)
				}
			})
		}
		for n := range 8 {
			r := rand.New(rand.NewPCG(2, uint64(n)))
			all.Go(func() {
				for range 200 {
					ctx, leave, err := l.Admit(t.Context(), "browser_click", nil)
					if err != nil {
						continue
					}
					time.Sleep(time.Duration(r.IntN(200)) * time.Microsecond)
					if Check(ctx) == nil {
						mu.Lock()
						acting++
						if driving > 0 {
							t.Error("a call acts while a person drives")
						}
						mu.Unlock()
						time.Sleep(time.Duration(r.IntN(200)) * time.Microsecond)
						mu.Lock()
						acting--
						mu.Unlock()
					}
					leave()
				}
			})
		}
		all.Wait()
		if len(l.turns) > 0 || len(l.waits) > 0 || len(l.notes) > 0 {
			t.Errorf("left: %d turns, %d waits, %d notes", len(l.turns), len(l.waits), len(l.notes))
		}
	})
}
