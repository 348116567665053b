package hostapi_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

// scribeFlag makes the test binary a host that does nothing but write entries into
// the journal of the directory after it, and say of each that it is written.
const scribeFlag = "-scribe="

const (
	scribeSessions = 8
	scribeRounds   = 4    // of dying and coming back
	scribeLines    = 150  // that are waited for, and a few more until death comes
	scribeBulk     = 4096 // bytes of an entry: more than a disk's block
)

func scribeMain(dir string) int {
	j, err := hostapi.OpenFileJournal(dir)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for tick := 1; ; tick++ {
		for session := range scribeSessions {
			e := scribed(fmt.Sprint("s", session), tick)
			if err := j.Put(context.Background(), e); err != nil {
				fmt.Println(err)
				return 1
			}
			fmt.Println(e.Session, tick)
		}
	}
}

// scribed is a session's entry after so many minutes.
func scribed(session string, minutes int) hostapi.Entry {
	start := newClock().Now()
	alive := start.Add(time.Duration(minutes) * time.Minute)
	return hostapi.Entry{
		Session: session, Sandbox: strings.Repeat("x", scribeBulk), Owner: owner, Mode: proto.Headless,
		StartedAt: start, AliveAt: alive, StopAt: alive, // which takes out what Recover adds
	}
}

// A host that is killed while it writes loses no minute that it wrote down: the next
// one finds every entry, whole, and tells its minutes.
func TestAKilledHostLosesNoMinute(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "journal")
	for range scribeRounds {
		host := exec.Command(os.Args[0], scribeFlag+dir)
		out, err := host.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := host.Start(); err != nil {
			t.Fatal(err)
		}
		written := map[string]int{} // the last minutes that were said to be there
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			if n == scribeLines {
				host.Process.Kill() // what it says until then counts too
			}
			var session string
			var minutes int
			if _, err := fmt.Sscan(lines.Text(), &session, &minutes); err != nil {
				break // cut off
			}
			written[session] = minutes
		}
		host.Wait()

		journal, err := hostapi.OpenFileJournal(dir)
		if err != nil {
			t.Fatal(err)
		}
		if drafts, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(drafts) > 0 {
			t.Errorf("drafts are left: %v", drafts)
		}
		b := newBench(t, func(b *bench, o *hostapi.Options) { o.Journal = journal })
		b.clock.add(24 * time.Hour)
		if err := b.host.Recover(context.Background()); err != nil {
			t.Error(err)
		}
		told := map[string]int{}
		for _, u := range b.meter.all() {
			if _, twice := told[u.Session]; twice {
				t.Errorf("%s is told twice", u.Session)
			}
			told[u.Session] = u.Quantity
		}
		for session, minutes := range written {
			// The one after the last may have been written, and not said.
			if got := told[session]; got != minutes && got != minutes+1 {
				t.Errorf("%s ran %d minutes, told %d", session, minutes, got)
			}
		}
		if left, err := journal.List(context.Background()); len(left) > 0 || err != nil || len(written) != scribeSessions {
			t.Errorf("left %v, %v, of %v", left, err, written)
		}
	}
}
