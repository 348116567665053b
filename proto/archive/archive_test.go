package archive_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/archive"
)

func now() time.Time { return time.UnixMilli(1_800_000_000_000).UTC() }

func create(t *testing.T) (*archive.Archive, string) {
	t.Helper()
	// A name that a URL would read otherwise.
	path := filepath.Join(t.TempDir(), "made", "a?b#c %41.pillion")
	a, err := archive.Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a, path
}

func begin(t *testing.T, a *archive.Archive, about archive.About) archive.Recording {
	t.Helper()
	r, err := a.Begin(t.Context(), about, now())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func markers(labels ...string) (events []archive.Event) {
	for i, label := range labels {
		data, _ := json.Marshal(map[string]string{"label": label})
		events = append(events, archive.Event{Kind: "marker", Time: 1.8e12 + float64(i), Data: data})
	}
	return events
}

// labels reads a recording back.
func labels(t *testing.T, a *archive.Archive, id string) (all []string) {
	t.Helper()
	for e, err := range a.Events(t.Context(), id) {
		if err != nil {
			t.Fatal(err)
		}
		var data struct{ Label string }
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatal(err)
		}
		all = append(all, data.Label)
	}
	return all
}

func TestWhatIsKeptComesBack(t *testing.T) {
	a, path := create(t)
	r := begin(t, a, archive.About{Title: "A session", App: "http://127.0.0.1:3000"})
	begin(t, a, archive.About{ID: "other"})
	events := []archive.Event{
		{Kind: "rrweb", Time: 1800000000000.5, Data: json.RawMessage(`{"type":4,"data":{"href":"<é\u2028 />"}}`)},
		{Kind: "marker", Time: 1800000000001, Data: json.RawMessage(`{"label":"x"}`)},
	}
	if err := a.Append(t.Context(), r.ID, "", events); err != nil {
		t.Fatal(err)
	}
	if err := a.Append(t.Context(), "other", "", markers("not here")); err != nil {
		t.Fatal(err)
	}
	if err := a.End(t.Context(), r.ID, archive.Finished, now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Dir(path) + "/*"); len(left) != 1 {
		t.Errorf("a closed archive is in %v", left)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}

	a, err := archive.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var got []archive.Event
	for e, err := range a.Events(t.Context(), r.ID) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if diff := cmp.Diff(events, got); diff != "" {
		t.Error(diff)
	}
	var lines strings.Builder
	if err := a.WriteTo(t.Context(), r.ID, &lines); err != nil || strings.Count(lines.String(), "\n") != 2 {
		t.Errorf("%q, %v", lines.String(), err)
	}
	want := r
	want.Ended, want.How, want.Events, want.Bytes = now().Add(time.Minute), archive.Finished, 2, int64(lines.Len())
	all, err := a.Recordings(t.Context())
	if err != nil || len(all) != 2 || all[0].ID != "other" {
		t.Fatalf("%+v, %v", all, err)
	}
	want.Stored = all[1].Stored // what compressing makes of it
	if diff := cmp.Diff(want, all[1]); diff != "" || want.Stored == 0 {
		t.Error(diff)
	}
	if err := a.Remove(t.Context(), r.ID); err != nil {
		t.Error(err)
	}
	for _, err := range []error{a.Remove(t.Context(), r.ID), a.Append(t.Context(), r.ID, "", events), a.WriteTo(t.Context(), r.ID, &lines)} {
		if !errors.Is(err, proto.CodeRecordingUnknown) {
			t.Errorf("after it was removed: %v", err)
		}
	}
}

func TestLimitsHoldForEachRecording(t *testing.T) {
	a, _ := create(t)
	few := begin(t, a, archive.About{MaxEvents: 3})
	small := begin(t, a, archive.About{MaxBytes: 200})
	add := func(r archive.Recording, labels ...string) error {
		return a.Append(t.Context(), r.ID, "", markers(labels...))
	}
	for _, step := range []struct {
		to     archive.Recording
		labels []string
		fits   bool
	}{
		{few, []string{"a", "b"}, true},
		{few, []string{"c", "d"}, false}, // whole or not at all
		{few, []string{"e"}, true},
		{few, []string{"f"}, false},
		{small, []string{strings.Repeat("x", 100)}, true},
		{small, []string{strings.Repeat("x", 100)}, false},
	} {
		switch err := add(step.to, step.labels...); {
		case step.fits && err != nil, !step.fits && !errors.Is(err, proto.CodeRecordingLimit):
			t.Errorf("%v: %v", step.labels, err)
		}
	}
	if got := fmt.Sprint(labels(t, a, few.ID)); got != "[a b e]" {
		t.Errorf("kept %s", got)
	}
	for _, id := range []string{few.ID, small.ID} {
		if r, err := a.Recording(t.Context(), id); err != nil || !r.Full {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

func TestABatchThatComesTwiceIsKeptOnce(t *testing.T) {
	a, _ := create(t)
	r, other := begin(t, a, archive.About{MaxEvents: 3}), begin(t, a, archive.About{})
	for _, id := range []string{r.ID, r.ID, other.ID} {
		if err := a.Append(t.Context(), id, "batch-1", markers("a", "b")); err != nil {
			t.Error(err)
		}
	}
	if got := fmt.Sprint(labels(t, a, r.ID), labels(t, a, other.ID)); got != "[a b] [a b]" {
		t.Errorf("kept %s", got)
	}
}

func TestAnEndIsAnEnd(t *testing.T) {
	a, _ := create(t)
	done, left := begin(t, a, archive.About{}), begin(t, a, archive.About{})
	for _, how := range []string{archive.Finished, archive.Interrupted} {
		if err := a.End(t.Context(), done.ID, how, now()); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.EndAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	for id, how := range map[string]string{done.ID: archive.Finished, left.ID: archive.Interrupted} {
		if r, err := a.Recording(t.Context(), id); err != nil || r.How != how {
			t.Errorf("%+v, %v; want %s", r, err, how)
		}
		if err := a.Append(t.Context(), id, "", markers("late")); !errors.Is(err, proto.CodeRecordingUnknown) {
			t.Errorf("a late batch: %v", err)
		}
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"no file": filepath.Join(dir, "none"), "a directory": dir, "a text": text} {
		if a, err := archive.Open(t.Context(), path); !errors.Is(err, proto.CodeArchiveUnusable) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("opening makes a file")
	}
	if a, err := archive.Create(t.Context(), text); !errors.Is(err, proto.CodeArchiveUnusable) {
		t.Errorf("made over a text: %v, %v", a, err)
	}
	if content, _ := os.ReadFile(text); !strings.HasPrefix(string(content), "no database") {
		t.Error("a file that is no archive was changed")
	}
}

// Several write and read at once; nobody is refused and nothing is lost.
func TestManyAtOnce(t *testing.T) {
	a, path := create(t)
	b, err := archive.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	const writers, batches = 4, 10
	failed := make(chan error, writers)
	for w := range writers {
		r := begin(t, a, archive.About{ID: fmt.Sprint(w)})
		from := []*archive.Archive{a, b}[w%2]
		go func() {
			var err error
			for i := range batches {
				err = errors.Join(err, from.Append(context.Background(), r.ID, "", markers(fmt.Sprint(i), "-")))
				_, readErr := b.Recordings(context.Background())
				err = errors.Join(err, readErr)
			}
			failed <- err
		}()
	}
	for range writers {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	for w := range writers {
		if got := labels(t, a, fmt.Sprint(w)); len(got) != 2*batches || got[18] != "9" {
			t.Errorf("recording %d: %v", w, got)
		}
	}
}
