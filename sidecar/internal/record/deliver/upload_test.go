package deliver

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// text is an item of a size in bytes, as the limits count it: with a comma.
func text(name string, size int) Item {
	return Item{Class: Fact, JSON: []byte(name + strings.Repeat("x", max(size-1-len(name), 0)))}
}

func names(b batch) string {
	var all []string
	for _, it := range b {
		all = append(all, strings.TrimRight(string(it.JSON), "x"))
	}
	return strings.Join(all, " ")
}

func TestBatchesByNumberAndBytes(t *testing.T) {
	for name, c := range map[string]struct {
		events, bytes int
		items         []Item
		want          []string // full ones, then what waits
	}{
		"by number":              {3, 1 << 20, []Item{text("a", 9), text("b", 9), text("c", 9), text("d", 9), text("e", 9), text("f", 9), text("g", 9)}, []string{"a b c", "d e f", "g"}},
		"by bytes":               {100, 1024 + 700, []Item{text("a", 301), text("b", 301), text("c", 301), text("d", 301)}, []string{"a b", "c d"}},
		"exactly full":           {100, 1024 + 600, []Item{text("a", 300), text("b", 300), text("c", 300)}, []string{"a b", "c"}},
		"one event each":         {1, 1 << 20, []Item{text("a", 9), text("b", 9)}, []string{"a", "b", ""}},
		"a limit below the head": {100, 10, []Item{text("", 1), text("", 1)}, []string{"", ""}},
	} {
		b := newBatcher(c.events, c.bytes)
		var got []string
		for _, it := range c.items {
			for _, full := range b.add(it) {
				got = append(got, names(full))
			}
		}
		if got = append(got, names(b.take())); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if b := newBatcher(10, 1024+700); b.largest() != 699 {
		t.Errorf("the largest event has %d bytes", b.largest())
	}
}

func TestBody(t *testing.T) {
	b := batch{{JSON: []byte(`{"a":1}`)}, {JSON: []byte(`{"b":2}`)}}
	at := time.UnixMilli(1_800_000_000_001)
	const want = `{"sent_at":1800000000001,"recording_events":[{"a":1},{"b":2}]}`
	if got := string(body(b, at, false)); got != want {
		t.Errorf("plain: %s", got)
	}
	z, err := gzip.NewReader(bytes.NewReader(body(b, at, true)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); string(got) != want || err != nil {
		t.Errorf("zipped: %s, %v", got, err)
	}
	largest := newBatcher(10, 2000)
	if n := len(body(batch{{JSON: make([]byte, largest.largest())}}, at, false)); n > 2000 {
		t.Errorf("the largest event makes a body of %d bytes", n)
	}
}

func TestJudge(t *testing.T) {
	for status, want := range map[int]fate{
		0: again, 200: stored, 201: stored, 204: stored, 301: give, 302: give, 307: give, 400: give, 401: finish, 403: finish, 404: give,
		408: give, 409: give, 410: give, 413: split, 415: plain, 422: split, 429: again, 500: again, 502: again, 503: again, 599: again,
	} {
		if got := judge(answer{status: status}); got != want {
			t.Errorf("%d: %d, want %d", status, got, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "0": 0, "5": 5 * time.Second, " 7 ": 7 * time.Second, "-3": 0, "99999999": maxRetryAfter, "soon": 0, "1.5": 0,
		"Mon, 30 Nov 2026 12:00:09 GMT": 9 * time.Second, "Mon, 30 Nov 2026 11:00:00 GMT": 0, "Tue, 30 Nov 2027 12:00:00 GMT": maxRetryAfter,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

// losses counts what a queue or an uploader loses.
type losses map[Reason]int

func (l losses) lose(r Reason, items ...Item) {
	if len(items) > 0 {
		l[r] += len(items)
	}
}

// bench is an uploader whose ingest is a function.
type bench struct {
	up     *uploader
	lost   losses
	posted []string
	ids    []int
	zipped []bool
	slept  []time.Duration
	log    bytes.Buffer
}

func newBench(post func(n int, b batch, zip bool) answer) *bench {
	b := &bench{lost: losses{}}
	b.up = &uploader{
		account: &account{}, lose: b.lost.lose, stored: func() {}, log: slog.New(slog.NewTextHandler(&b.log, nil)),
		post: func(_ context.Context, number int, events batch, zip bool) answer {
			b.posted, b.ids, b.zipped = append(b.posted, names(events)), append(b.ids, number), append(b.zipped, zip)
			return post(len(b.posted), events, zip)
		},
		sleep: func(ctx context.Context, d time.Duration) error {
			b.slept = append(b.slept, d)
			return ctx.Err()
		},
	}
	b.up.queue = newQueue(nil, newBatcher(1000, 1<<20).fits, b.lost.lose)
	return b
}

// run uploads batches of the named events and returns when they are dealt with.
func (b *bench) run(ctx context.Context, batches ...string) {
	for _, names := range batches {
		var one batch
		for name := range strings.FieldsSeq(names) {
			one = append(one, text(name, 0))
		}
		b.up.queue.push(one)
	}
	b.up.queue.close()
	b.up.run(ctx)
}

func (b *bench) want(t *testing.T, sent int, lost losses, posted ...string) {
	t.Helper()
	if got := b.up.account.get().Sent; got != sent || !maps.Equal(b.lost, lost) {
		t.Errorf("sent %d, want %d; lost %v, want %v", got, sent, b.lost, lost)
	}
	if posted != nil && !slices.Equal(b.posted, posted) {
		t.Errorf("posted %q, want %q", b.posted, posted)
	}
}

func answers(statuses ...int) func(int, batch, bool) answer {
	return func(n int, _ batch, _ bool) answer {
		if n <= len(statuses) {
			return answer{status: statuses[n-1]}
		}
		return answer{status: 201}
	}
}

func TestUploaderFollowsTheTable(t *testing.T) {
	b := newBench(answers(413, 503, 201, 401))
	b.run(t.Context(), "a", "b", "c", "d")
	b.want(t, 1, losses{LostRefused: 1, LostToken: 2}, "a", "b", "b", "c")
	if !strings.Contains(b.log.String(), "refused the recording token") {
		t.Errorf("the log says %s", b.log.String())
	}

	b = newBench(answers(500, 429, 0, 201, 500, 500, 500, 500))
	b.run(t.Context(), "a", "b", "c")
	b.want(t, 2, losses{LostAway: 1}, "a", "a", "a", "a", "b", "b", "b", "b", "c")
	if want := []time.Duration{500e6, 1e9, 2e9, 500e6, 1e9, 2e9}; !slices.Equal(b.slept, want) {
		t.Errorf("slept %v", b.slept)
	}
	if want := []int{1, 1, 1, 1, 2, 2, 2, 2, 3}; !slices.Equal(b.ids, want) {
		t.Errorf("batches %v", b.ids)
	}

	b = newBench(answers(302, 404, 400))
	b.run(t.Context(), "a", "b", "c", "d")
	b.want(t, 1, losses{LostRedirected: 1, LostRefused: 2}, "a", "b", "c", "d")

	b = newBench(answers(415, 201, 415))
	b.run(t.Context(), "a", "b", "c")
	b.want(t, 2, losses{LostRefused: 1}, "a", "a", "b", "c")
	if !slices.Equal(b.zipped, []bool{true, false, false, false}) {
		t.Errorf("zipped %v", b.zipped)
	}
}

func TestUploaderSplitsDownToTheBadEvent(t *testing.T) {
	bad := func(n int, b batch, _ bool) answer {
		if strings.Contains(names(b), "bad") {
			return answer{status: 422}
		}
		return answer{status: 201}
	}
	b := newBench(bad)
	b.run(t.Context(), "a b c bad e f g h", "i")
	b.want(t, 8, losses{LostRefused: 1}, "a b c bad e f g h", "a b c bad", "a b", "c bad", "c", "bad", "e f g h", "i")
	if !slices.IsSorted(b.ids) || len(slices.Compact(slices.Clone(b.ids))) != len(b.ids) {
		t.Errorf("parts share a number: %v", b.ids)
	}

	// Five bad ones in a thousand are found, and nothing else is lost.
	var thousand []string
	for i := range 1000 {
		name := fmt.Sprint("e", i)
		if i%200 == 77 {
			name = "bad"
		}
		thousand = append(thousand, name)
	}
	b = newBench(bad)
	b.run(t.Context(), strings.Join(thousand, " "))
	b.want(t, 995, losses{LostRefused: 5})

	// An ingest that refuses everything is not asked a thousand times.
	b = newBench(func(int, batch, bool) answer { return answer{status: 422} })
	b.run(t.Context(), strings.Join(thousand, " "))
	b.want(t, 0, losses{LostRefused: 1000})
	if len(b.posted) > maxSplits+1 {
		t.Errorf("%d posts for one batch", len(b.posted))
	}
}

func TestUploaderFindsThatARecordingIsFull(t *testing.T) {
	full := answer{status: 413, code: codeFull}
	b := newBench(func(n int, _ batch, _ bool) answer {
		if n > 1 {
			return full
		}
		return answer{status: 201}
	})
	b.run(t.Context(), "a", "b c d e", "f g")
	b.want(t, 1, losses{LostFull: 6}, "a", "b c d e", "b c", "b")

	// One event that is too large is no full recording.
	b = newBench(func(_ int, events batch, _ bool) answer {
		if events.bytes() > fullSize {
			return full
		}
		return answer{status: 201}
	})
	b.up.queue.push(batch{text("a", 9), text("big", 1<<20), text("b", 9)})
	b.run(t.Context(), "c")
	b.want(t, 3, losses{LostRefused: 1})
}

func TestUploaderWaitsAsLongAsItIsAsked(t *testing.T) {
	for after, want := range map[time.Duration]time.Duration{0: 500e6, 100e6: 500e6, 5e9: 5e9, maxRetryAfter: maxRetryAfter} {
		b := newBench(func(n int, _ batch, _ bool) answer {
			if n == 1 {
				return answer{status: 429, after: after}
			}
			return answer{status: 201}
		})
		b.run(t.Context(), "a")
		b.want(t, 1, losses{})
		if !slices.Equal(b.slept, []time.Duration{want}) {
			t.Errorf("after %v: slept %v", after, b.slept)
		}
	}
}

func TestPatientUploaderLosesNothing(t *testing.T) {
	b := newBench(func(n int, _ batch, _ bool) answer {
		if n <= 30 {
			return answer{err: errors.New("down")}
		}
		return answer{status: 201}
	})
	b.up.patient = true
	b.run(t.Context(), "a b", "c")
	b.want(t, 3, losses{})
	if last := b.slept[len(b.slept)-1]; last != patientRetry || len(b.slept) != 30 {
		t.Errorf("slept %v", b.slept)
	}
}

func TestUploaderEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBench(func(n int, _ batch, _ bool) answer {
		cancel()
		return answer{err: ctx.Err()}
	})
	b.up.patient = true
	b.run(ctx, "a b", "c", "d")
	b.want(t, 0, losses{LostAtStop: 4}, "a b")
}
