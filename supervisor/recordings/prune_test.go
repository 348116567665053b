package recordings_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/archive"
	"github.com/pillion-browser/pillion/supervisor/recordings"
)

var began = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// fill makes recordings of some bytes that don't compress, a day apart, the first the
// oldest. Each but those named open has ended an hour after it began.
func fill(t *testing.T, path string, size int, open []string, ids ...string) {
	t.Helper()
	a, err := archive.Create(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for i, id := range ids {
		at := began.AddDate(0, 0, i)
		if _, err := a.Begin(t.Context(), archive.About{ID: id}, at); err != nil {
			t.Fatal(err)
		}
		noise := make([]byte, size/4)
		rand.Read(noise)
		data, _ := json.Marshal(map[string]string{"label": fmt.Sprintf("%x", noise)})
		for n := range 2 {
			if err := a.Append(t.Context(), id, fmt.Sprint(n), []archive.Event{{Kind: "marker", Time: float64(at.UnixMilli()), Data: data}}); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Contains(open, id) {
			if err := a.End(t.Context(), id, archive.Finished, at.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func names(t *testing.T, s *recordings.Store) string {
	t.Helper()
	all, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

func TestOldRecordingsGo(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		o    recordings.Options
		now  time.Duration
		want string
	}{
		"the defaults keep weeks":     {recordings.Options{}, 30 * day, "a b c d"},
		"the defaults end":            {recordings.Options{}, 92*day + 2*time.Hour, "d"},
		"age":                         {recordings.Options{MaxAge: 2 * day}, 3*day + 2*time.Hour, "c d"},
		"an age that nothing has":     {recordings.Options{MaxAge: 2 * day}, 2 * day, "a b c d"},
		"size":                        {recordings.Options{MaxBytes: 55_000}, 4 * day, "c d"},
		"size and age":                {recordings.Options{MaxBytes: 55_000, MaxAge: day}, 3*day + 2*time.Hour, "d"},
		"the newest goes too":         {recordings.Options{MaxBytes: 1000}, 4 * day, ""},
		"all are kept":                {recordings.Options{MaxBytes: recordings.KeepAll, MaxAge: recordings.KeepAll}, 9000 * day, "a b c d"},
		"of no size and no other age": {recordings.Options{MaxBytes: recordings.KeepAll, MaxAge: day}, 9000 * day, ""},
	} {
		path := filepath.Join(t.TempDir(), "r.db")
		fill(t, path, 40_000, nil, "a", "b", "c", "d")
		c.o.Now = func() time.Time { return began.Add(c.now) }
		s, err := recordings.Open(t.Context(), path, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := names(t, s); got != c.want {
			t.Errorf("%s: %q are left, want %q", name, got, c.want)
		}
		s.Close()
	}
}

// TestPruneLeavesWhatIsOpen: a recording that goes on stays, however old it is; when
// it is finished what is due goes, with its films and nothing else of their place.
func TestPruneLeavesWhatIsOpen(t *testing.T) {
	t.Parallel()
	path, films := filepath.Join(t.TempDir(), "r.db"), t.TempDir()
	now := began
	s, err := recordings.Open(t.Context(), path, recordings.Options{Films: films, MaxAge: time.Hour, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, id := range []string{"old", "long"} {
		in, err := s.Begin(t.Context(), recordings.About{ID: id})
		if err != nil || !in.Launch("http://127.0.0.1/").Video {
			t.Fatalf("%+v, %v", in, err)
		}
		os.Mkdir(s.FilmsDir(id), 0o700)
		os.WriteFile(filepath.Join(s.FilmsDir(id), "film-tab1-x.mp4"), []byte("x"), 0o600)
	}
	for _, other := range []string{"not ours", "stranger"} {
		os.Mkdir(filepath.Join(films, other), 0o700)
		os.WriteFile(filepath.Join(films, other, "letter.txt"), []byte("x"), 0o600)
	}
	if err := s.Finish(t.Context(), "old"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(2 * time.Hour)
	if n, err := s.Prune(t.Context()); n != 1 || err != nil || names(t, s) != "long" {
		t.Errorf("%d removed, %v, left %q", n, err, names(t, s))
	}
	left, _ := filepath.Glob(filepath.Join(films, "*", "*"))
	for i := range left {
		left[i], _ = filepath.Rel(films, left[i])
	}
	if got := strings.Join(left, ", "); got != "long/film-tab1-x.mp4, not ours/letter.txt, stranger/letter.txt" {
		t.Errorf("films left: %s", got)
	}
}

// pruneOf names the file that a child process of the tests prunes.
const pruneOf = "PILLION_TEST_PRUNE"

// TestPruneChild is that process; as a test of its own it has nothing to do.
func TestPruneChild(t *testing.T) {
	path := os.Getenv(pruneOf)
	if path == "" {
		return
	}
	log := slog.New(slog.NewTextHandler(os.Stdout, nil))
	_, err := recordings.Open(context.Background(), path, recordings.Options{
		MaxAge: time.Hour, Now: func() time.Time { return began.AddDate(0, 0, 30) }, Log: log,
	})
	fmt.Println("pruned", err)
}

// TestKilledWhilePruning: what was not due is whole, and what was is whole or gone.
func TestKilledWhilePruning(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "r.db")
	var ids []string
	for i := range 60 {
		ids = append(ids, fmt.Sprintf("r%02d", i)) // the last half is younger than the prune's clock
	}
	fill(t, path, 400_000, nil, ids...)
	child := exec.Command(os.Args[0], "-test.run=^TestPruneChild$")
	child.Env = append(os.Environ(), pruneOf+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	said := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "removed a recording") {
			if said++; said == 7 {
				child.Process.Kill()
			}
		}
	}
	child.Wait()
	a, err := archive.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	gone := 0
	for i, id := range ids {
		events := 0
		var failed error
		for _, err := range a.Events(t.Context(), id) {
			failed = err
			events++
		}
		switch {
		case failed == nil && events == 2:
		case i < 30 && errors.Is(failed, proto.CodeRecordingUnknown):
			gone++
		default:
			t.Errorf("%s has %d events, %v", id, events, failed)
		}
	}
	if t.Logf("%d of 30 had gone", gone); gone < 7 || gone == 30 {
		t.Errorf("it was not killed while it pruned: %d of 30 had gone", gone)
	}
}
