package archive_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto/archive"
)

// childOf names the archive that a child process of the tests writes to.
const childOf = "PILLION_TEST_ARCHIVE"

func TestMain(m *testing.M) {
	if path := os.Getenv(childOf); path != "" {
		writeForEver(path)
	}
	os.Exit(m.Run())
}

const inABatch = 50

// writeForEver keeps batches of equal labels and says of each when it was kept.
func writeForEver(path string) {
	ctx := context.Background()
	a, err := archive.Create(ctx, path)
	if err == nil {
		_, err = a.Begin(ctx, archive.About{ID: "r"}, now())
	}
	for n := 0; err == nil; n++ {
		label := fmt.Sprintf("%d %s", n, strings.Repeat("x", n*37%5000))
		batch := make([]string, inABatch)
		for i := range batch {
			batch[i] = label
		}
		if err = a.Append(ctx, "r", fmt.Sprint(n), markers(batch...)); err == nil {
			fmt.Println("kept", n)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// wantBatches checks that a recording holds whole batches from the first on, and
// returns how many.
func wantBatches(t *testing.T, a *archive.Archive) int {
	t.Helper()
	all := labels(t, a, "r")
	if len(all)%inABatch != 0 {
		t.Fatalf("%d events: a batch is torn", len(all))
	}
	for i, label := range all {
		if n, _, _ := strings.Cut(label, " "); n != fmt.Sprint(i/inABatch) {
			t.Fatalf("event %d is of batch %s", i, n)
		}
	}
	r, err := a.Recording(t.Context(), "r")
	if err != nil || r.Events != len(all) {
		t.Fatalf("%+v, %v; there are %d events", r, err, len(all))
	}
	return len(all) / inABatch
}

// A writer that is killed leaves every batch that it had said to be kept, and the
// next one goes on.
func TestKilledWhileWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), childOf+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	said := 0
	for lines := bufio.NewScanner(out); lines.Scan(); said++ {
		if said == 30 {
			child.Process.Kill() // it is within the next write by now, or nearly
		}
	}
	child.Wait()
	if said < 30 {
		t.Fatalf("it kept %d batches", said)
	}
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatalf("it left no log, so it was not killed while writing: %v", err)
	}

	// What a machine that loses its power could leave of the log: any part.
	for _, part := range []int{0, 31, len(log) / 3, len(log) - 5000, len(log) - 1} {
		if part < 0 || part > len(log) {
			continue
		}
		copied := filepath.Join(t.TempDir(), "copy")
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, file, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied+"-wal", log[:part], 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := archive.Create(t.Context(), copied)
		if err != nil {
			t.Errorf("with %d bytes of its log: %v", part, err)
			continue
		}
		if _, err := a.Recording(t.Context(), "r"); err == nil {
			t.Logf("with %d of %d bytes of its log: %d batches", part, len(log), wantBatches(t, a))
		}
		a.Close()
	}

	a, err := archive.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	kept := wantBatches(t, a)
	if kept < said {
		t.Errorf("it said that %d batches were kept, and %d are there", said, kept)
	}
	// The one whose answer was lost comes again.
	for _, n := range []int{kept - 1, kept} {
		batch := make([]string, inABatch)
		for i := range batch {
			batch[i] = fmt.Sprint(n, " ")
		}
		if err := a.Append(t.Context(), "r", fmt.Sprint(n), markers(batch...)); err != nil {
			t.Error(err)
		}
	}
	if again := wantBatches(t, a); again != kept+1 {
		t.Errorf("%d batches after one more than %d", again, kept)
	}
}
