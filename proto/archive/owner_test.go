package archive

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRecordingsOf: a prefix gives its own and no others, the newest first, and the
// file is asked by its index.
func TestRecordingsOf(t *testing.T) {
	a, err := Create(t.Context(), filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for i, id := range []string{"ada-1", "ada-2", "ada.3", "adaa-1", "bob-1", "ada-\xff", "Ada-1", "ada", "ada-0"} {
		if _, err := a.Begin(t.Context(), About{ID: id}, time.UnixMilli(1_800_000_000_000+int64(i))); err != nil {
			t.Fatal(err)
		}
	}
	for prefix, want := range map[string]int{"ada-": 4, "bob-": 1, "": 9, "none-": 0, "ada": 7, "\xff": 0, "%": 0, "ad_": 0} {
		own, err := a.RecordingsOf(t.Context(), prefix)
		if err != nil || len(own) != want {
			t.Errorf("%q: %d, want %d, %v", prefix, len(own), want, err)
		}
		for i, r := range own {
			if !strings.HasPrefix(r.ID, prefix) || i > 0 && r.Started.After(own[i-1].Started) {
				t.Errorf("%q gives %q as number %d", prefix, r.ID, i)
			}
		}
	}
	var plan string
	var ignored int
	row := a.db.QueryRowContext(t.Context(), `EXPLAIN QUERY PLAN SELECT `+columns+` FROM recordings `+within, "ada-", "ada.")
	if err := row.Scan(&ignored, &ignored, &ignored, &plan); err != nil || !strings.Contains(plan, "SEARCH recordings USING INDEX") {
		t.Errorf("plan %q, %v", plan, err)
	}
}
