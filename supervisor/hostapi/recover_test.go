package hostapi_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

// A host that finds another one's journal settles what that one could not.
func TestRecover(t *testing.T) {
	t.Parallel()
	start := newClock().Now()
	at := func(minutes float64) time.Time { return start.Add(time.Duration(minutes * float64(time.Minute))) }
	for name, test := range map[string]struct {
		entry hostapi.Entry
		want  []int
	}{
		"ran until shortly after it was last seen": {hostapi.Entry{StartedAt: start, AliveAt: at(9.9)}, []int{11}},
		"ran until it stopped itself":              {hostapi.Entry{StartedAt: start, AliveAt: at(9.9), StopAt: at(10)}, []int{10}},
		"ran until now":                            {hostapi.Entry{StartedAt: start, AliveAt: at(59.95)}, []int{60}},
		"had stopped":                              {hostapi.Entry{StartedAt: start, AliveAt: at(1), StoppedAt: at(3)}, []int{3}},
		"had stopped and been told":                {hostapi.Entry{StartedAt: start, AliveAt: at(1), StoppedAt: at(3), Metered: true}, nil},
		"never ran":                                {hostapi.Entry{AliveAt: at(1)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			ctx := context.Background()
			test.entry.Session, test.entry.Sandbox, test.entry.Owner, test.entry.Mode = "left", "s1", owner, proto.Headless
			b.journal.Put(ctx, test.entry)
			b.start("") // of this host: none of Recover's business
			b.clock.add(time.Hour)
			for range 2 {
				if err := b.host.Recover(ctx); err != nil {
					t.Error(err)
				}
			}
			if got := b.meter.minutes(); !cmp.Equal(got, test.want) {
				t.Errorf("told %v, want %v", got, test.want)
			}
			if left, _ := b.journal.List(ctx); len(left) != 1 || left[0].Session == "left" {
				t.Errorf("the journal has %v", left)
			}
			if got := b.tape.String(); got != "open s1, complete s1" {
				t.Errorf("recordings: %s", got)
			}
		})
	}
}

// What this host is about to settle is not an earlier one's.
func TestRecoverLeavesWhatEndsMeanwhile(t *testing.T) {
	t.Parallel()
	var host *hostapi.Host
	var told atomic.Int32
	b := newBench(t, func(_ *bench, o *hostapi.Options) {
		o.Usage = hostapi.UsageFunc(func(ctx context.Context, u hostapi.Usage) error {
			if told.Add(1) > 1 {
				return nil
			}
			return host.Recover(ctx)
		})
	})
	host = b.host
	b.start("")
	b.clock.add(time.Second)
	b.do("DELETE", browserPath, "")
	if n := told.Load(); n != 1 {
		t.Errorf("told %d times", n)
	}
}

func TestFileJournal(t *testing.T) {
	t.Parallel()
	ctx, dir := context.Background(), filepath.Join(t.TempDir(), "journal")
	open := func() *hostapi.FileJournal {
		j, err := hostapi.OpenFileJournal(dir)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	j := open()
	entry := hostapi.Entry{Session: "one", Owner: owner, StartedAt: newClock().Now()}
	for _, e := range []hostapi.Entry{{Session: "../two"}, {Session: "one"}, entry} {
		if err := j.Put(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	if outside, _ := filepath.Glob(filepath.Join(dir, "..", "*.json*")); len(outside) != 0 {
		t.Errorf("written outside: %v", outside)
	}
	for range 2 {
		if err := j.Remove(ctx, "../two"); err != nil {
			t.Error(err)
		}
	}
	os.WriteFile(filepath.Join(dir, "three.json.new"), []byte("{"), 0o600) // a crash in the middle
	if all, err := open().List(ctx); err != nil || !cmp.Equal(all, []hostapi.Entry{entry}) {
		t.Errorf("got %v, %v", all, err)
	}
	for _, spoilt := range []string{"{", "", "{}", `{"session":"one"}`, "\x00\x00\x00", "[]"} {
		os.WriteFile(filepath.Join(dir, "four.json"), []byte(spoilt), 0o600)
		if all, err := open().List(ctx); err == nil || !strings.Contains(err.Error(), "four.json") || len(all) != 1 {
			t.Errorf("with %q: %v, %v", spoilt, all, err)
		}
	}
}

// Run reaps until it is told to stop, and then stops every browser.
func TestRunStopsEverything(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx, interrupt := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.host.Run(ctx) }()
	b.start("")
	b.clock.add(time.Second)
	interrupt()
	if err := <-done; err != nil || !cmp.Equal(b.meter.minutes(), []int{1}) {
		t.Errorf("told %v, %v", b.meter.minutes(), err)
	}
	if got := b.do("POST", browserPath, ""); got.status != 503 || got.code() != string(proto.CodeStopping) {
		t.Errorf("then %d %s", got.status, got.text)
	}
}
