package hostapi_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

func denying(payload any) change {
	return func(_ *bench, o *hostapi.Options) {
		o.Quota = hostapi.QuotaFunc(func(context.Context, string, string) (any, error) { return payload, nil })
	}
}

func TestMetering(t *testing.T) {
	ran := func(d time.Duration, want ...int) func(*testing.T, *bench) {
		return func(t *testing.T, b *bench) {
			b.start("")
			b.clock.add(d)
			b.do("DELETE", browserPath, "")
			if got := b.meter.minutes(); !cmp.Equal(got, want) {
				t.Errorf("told %v, want %v", got, want)
			}
		}
	}
	checkRules(t, []rule{
		{"a denial answers 402 with the checker's words", denying("No browser minutes left"), func(t *testing.T, b *bench) {
			got := b.do("POST", browserPath, "")
			if got.status != 402 || got.text != `{"error":"No browser minutes left"}`+"\n" || b.backend.count() != 0 {
				t.Errorf("got %d %s", got.status, got.text)
			}
		}},
		{"or with the checker's own object", denying(map[string]any{"error": "over", "resets_at": "tomorrow"}), func(t *testing.T, b *bench) {
			if got := b.do("POST", browserPath, ""); got.status != 402 || got.text != `{"error":"over","resets_at":"tomorrow"}`+"\n" {
				t.Errorf("got %d %s", got.status, got.text)
			}
		}},
		{"a checker that fails starts nothing, and its words stay here", func(_ *bench, o *hostapi.Options) {
			o.Quota = hostapi.QuotaFunc(func(context.Context, string, string) (any, error) { return nil, errors.New("secret dsn") })
		}, func(t *testing.T, b *bench) {
			refused(500, proto.CodeInternal, "")(t, b)
			if strings.Contains(b.seen.String(), "dsn") {
				t.Error("it is told")
			}
		}},
		{"another refusal does not ask it", func(b *bench, o *hostapi.Options) {
			denying("never asked")(b, o)
			b.backend.modes = nil
		}, refused(422, proto.CodeBackendUnavailable, "")},
		{"a second is a minute", nil, ran(time.Second, 1)},
		{"a minute is one", nil, ran(time.Minute, 1)},
		{"a little more is two", nil, ran(time.Minute+time.Millisecond, 2)},
		{"half an hour is thirty", nil, ran(30*time.Minute, 30)},
		{"however late it is stopped, it counts to when it stopped itself", nil, ran(3*time.Hour, 60)}, // 59.5 minutes
		{"a browser that ends by itself is told as well", nil, func(t *testing.T, b *bench) {
			_, s := b.start("")
			b.clock.add(90 * time.Second)
			s.stop(proto.ReasonExpired)
			await(t, "minutes", func() bool { return cmp.Equal(b.meter.minutes(), []int{2}) })
			shown := b.do("GET", browserPath, "").browser()
			if shown["status"] != "stopped" || shown["reason"] != proto.ReasonExpired {
				t.Errorf("shown %v", shown)
			}
		}},
		{"and one that crashes", nil, func(t *testing.T, b *bench) {
			_, s := b.start("")
			b.clock.add(61 * time.Second)
			s.crash()
			await(t, "minutes", func() bool { return cmp.Equal(b.meter.minutes(), []int{2}) })
		}},
		{"deleting the sandbox stops its browser first and tells its minutes", nil, func(t *testing.T, b *bench) {
			b.start("")
			b.clock.add(time.Second)
			got := b.do("DELETE", "/api/sandboxes/s1", "")
			if got.status != 200 || !cmp.Equal(b.meter.minutes(), []int{1}) || b.tape.String() != "open s1, complete s1" {
				t.Errorf("%d %s, told %v, recording %s", got.status, got.text, b.meter.minutes(), b.tape)
			}
			if got := b.do("GET", browserPath, ""); got.status != 404 {
				t.Errorf("then %d %s", got.status, got.text)
			}
		}},
		{"the reaper stops the browser of an expired sandbox, once and for no more than it ran", nil, func(t *testing.T, b *bench) {
			b.start("")
			b.clock.add(5 * time.Hour)
			for range 2 {
				if err := b.host.Reap(context.Background()); err != nil {
					t.Error(err)
				}
			}
			if got := b.meter.minutes(); !cmp.Equal(got, []int{60}) {
				t.Errorf("told %v", got)
			}
			if got := b.do("GET", browserPath, "").browser()["status"]; got != "stopped" {
				t.Errorf("status %v", got)
			}
		}},
		{"the reaper leaves a living one alone", nil, func(t *testing.T, b *bench) {
			b.start("")
			b.clock.add(10 * time.Minute)
			if err := b.host.Reap(context.Background()); err != nil || len(b.meter.all()) != 0 {
				t.Errorf("told %v, %v", b.meter.all(), err)
			}
			if got := b.do("GET", browserPath, "").browser()["status"]; got != "running" {
				t.Errorf("status %v", got)
			}
		}},
		{"the reaper stops the browser of a sandbox that is gone", nil, func(t *testing.T, b *bench) {
			b.start("")
			b.clock.add(time.Second)
			b.sandboxes.Delete(context.Background(), owner, "s1") // behind the host's back
			if err := b.host.Reap(context.Background()); err != nil || !cmp.Equal(b.meter.minutes(), []int{1}) {
				t.Errorf("told %v, %v", b.meter.minutes(), err)
			}
		}},
		{"a sandbox that lives longer has a browser that does", nil, func(t *testing.T, b *bench) {
			_, s := b.start("")
			later := b.clock.Now().Add(2 * time.Hour)
			b.sandbox(hostapi.Sandbox{ID: "s1", ExpiresAt: later})
			if err := b.host.Reap(context.Background()); err != nil || !s.stopAt().Equal(later.Add(-30*time.Second)) {
				t.Errorf("stops at %v, %v", s.stopAt(), err)
			}
			b.clock.add(90 * time.Minute)
			b.do("DELETE", browserPath, "")
			if got := b.meter.minutes(); !cmp.Equal(got, []int{90}) {
				t.Errorf("told %v", got)
			}
		}},
		{"where that can't be, it ends at its own time", func(b *bench, _ *hostapi.Options) { b.backend.mute = true }, func(t *testing.T, b *bench) {
			_, s := b.start("")
			own := s.stopAt()
			b.sandbox(hostapi.Sandbox{ID: "s1", ExpiresAt: b.clock.Now().Add(2 * time.Hour)})
			if err := b.host.Reap(context.Background()); err != nil || !s.stopAt().Equal(own) {
				t.Errorf("stops at %v, %v", s.stopAt(), err)
			}
			b.clock.add(90 * time.Minute) // it did
			b.do("DELETE", browserPath, "")
			if got := b.meter.minutes(); !cmp.Equal(got, []int{60}) {
				t.Errorf("told %v", got)
			}
		}},
		{"or by the host's hand, where its sandbox ends sooner", func(b *bench, _ *hostapi.Options) { b.backend.mute = true }, func(t *testing.T, b *bench) {
			b.start("")
			b.sandbox(hostapi.Sandbox{ID: "s1", ExpiresAt: b.clock.Now().Add(10 * time.Minute)})
			for range 2 {
				if err := b.host.Reap(context.Background()); err != nil {
					t.Error(err)
				}
				if told := b.meter.minutes(); len(told) != 0 {
					t.Errorf("told %v too soon", told)
				}
				b.clock.add(4 * time.Minute)
			}
			b.clock.add(2*time.Minute - 30*time.Second)
			if err := b.host.Reap(context.Background()); err != nil || !cmp.Equal(b.meter.minutes(), []int{10}) {
				t.Errorf("told %v, %v", b.meter.minutes(), err)
			}
		}},
		{"a recorder that fails is told again", func(b *bench, _ *hostapi.Options) { b.meter.fail = errors.New("down") }, func(t *testing.T, b *bench) {
			b.start("")
			b.clock.add(time.Second)
			b.do("DELETE", browserPath, "")
			if err := b.host.Reap(context.Background()); err == nil {
				t.Error("the reaper is content")
			}
			b.start("") // meanwhile its sandbox may have another
			b.meter.mu.Lock()
			b.meter.fail = nil
			b.meter.mu.Unlock()
			for range 2 {
				if err := b.host.Reap(context.Background()); err != nil || !cmp.Equal(b.meter.minutes(), []int{1}) {
					t.Errorf("told %v, %v", b.meter.minutes(), err)
				}
			}
		}},
		{"a browser that never ran costs nothing", func(b *bench, _ *hostapi.Options) { b.backend.refuse = errors.New("no") }, func(t *testing.T, b *bench) {
			b.do("POST", browserPath, "")
			b.clock.add(time.Hour)
			if err := b.host.Reap(context.Background()); err != nil || len(b.meter.all()) != 0 {
				t.Errorf("told %v, %v", b.meter.all(), err)
			}
			if left, _ := b.journal.List(context.Background()); len(left) != 0 {
				t.Errorf("the journal has %v", left)
			}
		}},
		{"a recording that can't be opened starts nothing", func(b *bench, _ *hostapi.Options) { b.tape.fail = errors.New("full") }, func(t *testing.T, b *bench) {
			refused(500, proto.CodeInternal, "")(t, b)
		}},
		{"a recorder may want to know the kind alone", func(b *bench, o *hostapi.Options) {
			o.Usage = hostapi.CountOnly(func(_ context.Context, owner, kind string) error {
				b.tape.note(owner + " used " + kind)
				return nil
			})
		}, func(t *testing.T, b *bench) {
			b.start("")
			b.clock.add(time.Second)
			b.do("DELETE", browserPath, "")
			if got := b.tape.String(); got != "open s1, complete s1, acme used browser_minutes" {
				t.Errorf("got %s", got)
			}
		}},
		{"the default recorder counts each session once", nil, func(t *testing.T, b *bench) {
			var m hostapi.MemoryUsage
			for _, session := range []string{"a", "b", "a"} {
				m.Record(context.Background(), hostapi.Usage{Owner: owner, Kind: hostapi.BrowserMinutes, Quantity: 2, Session: session})
			}
			if got := m.Total(owner, hostapi.BrowserMinutes); got != 4 || m.Total("rival", hostapi.BrowserMinutes) != 0 {
				t.Errorf("total %d", got)
			}
		}},
	})
}
