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
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

// class makes an item of a class.
func classed(name string, c Class) Item { return Item{Class: c, Tab: 1, JSON: []byte(name)} }

func TestFullQueueGivesUpChangesFirst(t *testing.T) {
	lost := losses{}
	var gone []string
	q := newQueue(nil, newBatcher(3, 1<<20).fits, func(r Reason, items ...Item) {
		lost.lose(r, items...)
		gone = append(gone, names(items))
	})
	for i := range maxBatches {
		if i == 1 || i == 3 {
			q.push(batch{classed(fmt.Sprint("meta", i), Restart), classed(fmt.Sprint("snap", i), Restart), classed(fmt.Sprint("mark", i), Fact)})
			continue
		}
		q.push(batch{classed(fmt.Sprint("c", i), Change), classed(fmt.Sprint("m", i), Fact)})
	}
	if len(lost) != 0 || q.length() != maxBatches {
		t.Fatalf("lost %v before it is full", lost)
	}
	// 0 loses its change and keeps its fact; so does 2, which can't join 1, as 1 is
	// full; 4 loses its change and can join nobody but 3, which is full; 5 joins 4.
	q.push(batch{classed("new", Change)})
	if want := []string{"c0 c2 c4 c5"}; !slices.Equal(slices.DeleteFunc(gone, func(s string) bool { return s == "" }), want) {
		t.Errorf("gave up %q", gone)
	}
	var order []string
	for range 6 {
		b, _ := q.next(t.Context())
		order = append(order, names(b))
	}
	if want := []string{"m0", "meta1 snap1 mark1", "m2", "meta3 snap3 mark3", "m4 m5", "c6 m6"}; !slices.Equal(order, want) {
		t.Errorf("what is left: %q", order)
	}
}

func TestFullQueueOfFactsLosesTheOldest(t *testing.T) {
	lost := losses{}
	q := newQueue(nil, newBatcher(1, 1<<20).fits, lost.lose)
	for i := range maxBatches + 10 {
		q.push(batch{classed(fmt.Sprint(i), Fact)})
	}
	if !maps.Equal(lost, losses{LostInQueue: 10}) || q.length() != maxBatches {
		t.Errorf("lost %v, %d wait", lost, q.length())
	}
	if b, _ := q.next(t.Context()); names(b) != "10" {
		t.Errorf("the oldest is %s", names(b))
	}
}

func TestQueueIsBoundedInBytes(t *testing.T) {
	lost := losses{}
	q := newQueue(nil, newBatcher(1000, 16<<20).fits, lost.lose)
	for range 10 {
		q.push(batch{{Class: Change, JSON: make([]byte, 8<<20)}})
	}
	if q.bytes > maxQueueBytes || lost[LostInQueue] != 7 || q.length() != 3 {
		t.Errorf("%d bytes in %d batches, lost %v", q.bytes, q.length(), lost)
	}
	// One that is larger than all the room is kept until the next comes.
	q = newQueue(nil, newBatcher(1000, 1<<30).fits, lost.lose)
	q.push(batch{{Class: Change, JSON: make([]byte, maxQueueBytes+1)}})
	if q.length() != 1 {
		t.Error("a large batch is lost at once")
	}
}

func TestQueueCloses(t *testing.T) {
	lost := losses{}
	q := newQueue(nil, newBatcher(9, 1<<20).fits, lost.lose)
	q.push(batch{classed("a", Fact)})
	q.push(nil)
	q.close()
	q.push(batch{classed("b", Fact), classed("c", Fact)})
	if b, ok := q.next(t.Context()); !ok || names(b) != "a" {
		t.Errorf("%s, %v", names(b), ok)
	}
	if _, ok := q.next(t.Context()); ok {
		t.Error("a closed queue gives more")
	}
	if !maps.Equal(lost, losses{LostAtStop: 2}) {
		t.Error(lost)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := newQueue(nil, nil, lost.lose).next(ctx); ok {
		t.Error("an ended context gives more")
	}
}

func TestSpoolKeepsWhatMemoryDoesNot(t *testing.T) {
	s, err := openSpool(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	lost := losses{}
	q := newQueue(s, newBatcher(1000, 1<<20).fits, lost.lose)
	var want []string
	for i := range 200 {
		q.push(batch{classed(fmt.Sprint("c", i), Change), classed(fmt.Sprint("f", i), Fact)})
		want = append(want, fmt.Sprintf("c%d f%d", i, i))
	}
	if q.inUse != maxUnspooled || len(lost) != 0 {
		t.Fatalf("%d batches in memory, lost %v", q.inUse, lost)
	}
	var got []string
	for range 200 {
		b, _ := q.next(t.Context())
		got = append(got, names(b))
		if b[0].Class != Change || b[0].Tab != 1 || b[1].Class != Fact {
			t.Fatalf("%+v", b)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.end != 0 || s.live != 0 {
		t.Errorf("an empty spool has %d bytes and %d batches", s.end, s.live)
	}
	if info, err := s.file.Stat(); err != nil || info.Size() != 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("its file: %v, %v", info, err)
	}
}

func TestSpoolIsBoundedAndLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s, err := openSpool(dir, 2000)
	if err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("the spool has a name: %v", entries)
	}
	lost := losses{}
	q := newQueue(s, newBatcher(1000, 1<<20).fits, lost.lose)
	for i := range 200 {
		q.push(batch{classed(fmt.Sprint("c", i), Change)})
	}
	if s.end > 2000 || s.live == 0 || q.inUse > maxBatches || lost[LostInQueue] != 200-q.length() {
		t.Errorf("%d bytes on disk, %d batches in memory, %d wait, lost %v", s.end, q.inUse, q.length(), lost)
	}
	// A disk that fails costs what is on it, and counts it.
	inFile := s.live
	s.close()
	sent := 0
	q.close()
	for b, ok := q.next(t.Context()); ok; b, ok = q.next(t.Context()) {
		sent += len(b)
	}
	if lost[LostInSpool] != inFile || sent+lost[LostInSpool]+lost[LostInQueue] != 200 {
		t.Errorf("sent %d, lost %v, of which %d were on disk", sent, lost, inFile)
	}
	if _, err := openSpool(dir+"/none", 1); err == nil {
		t.Error("a spool in no directory")
	}
}

func TestDropCountsEverything(t *testing.T) {
	s, err := openSpool(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	lost := losses{}
	q := newQueue(s, newBatcher(1000, 1<<20).fits, lost.lose)
	for range 20 {
		q.push(batch{classed("a", Change), classed("b", Fact)})
	}
	q.drop(LostAtStop)
	if !maps.Equal(lost, losses{LostAtStop: 40}) || q.length() != 0 || s.live != 0 {
		t.Errorf("lost %v, %d wait, %d on disk", lost, q.length(), s.live)
	}
}

// FuzzUnpack: a file that was tampered with is an error or a batch, never a panic.
func FuzzUnpack(f *testing.F) {
	f.Add(packItems(batch{classed("a", Change), classed("bc", Fact)}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, packed []byte) {
		if len(packed) > 1<<16 {
			return
		}
		b, err := unpackItems(packed)
		if err == nil && b.bytes() < 0 {
			t.Fatal("negative")
		}
	})
}
