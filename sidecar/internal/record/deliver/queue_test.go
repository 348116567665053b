package deliver

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// classed makes an item of a class.
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
