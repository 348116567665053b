//go:build linux

package janitor_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto"

	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

func itoa(n int) string { return strconv.Itoa(n) }

// The moments up to which a stand-in goes before it is killed, in order.
var moments = []string{"opened", "prepared", "started", "watched", "answered"}

// TestSidecarKilled kills a stand-in for the sidecar by force at every step,
// with Chromium working and stopped. Nothing may be left.
func TestSidecarKilled(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		for _, moment := range moments {
			t.Run(moment, func(t *testing.T) { killAt(t, moment, kill{}) })
		}
		t.Run("all of Chromium stopped", func(t *testing.T) { killAt(t, "answered", kill{stop: true}) })
		t.Run("started and stopped", func(t *testing.T) { killAt(t, "started", kill{stop: true}) })
		t.Run("full", func(t *testing.T) { killAt(t, "answered full", kill{}) })
		t.Run("full, all of it stopped", func(t *testing.T) { killAt(t, "answered full", kill{stop: true}) })
		t.Run("work directory", func(t *testing.T) { killAt(t, "answered workdir", kill{stop: true}) })
		for i := range 5 {
			delay := time.Duration(rand.IntN(150)) * time.Millisecond
			t.Run(fmt.Sprintf("after %s", delay), func(t *testing.T) { killAt(t, "answered", kill{after: delay, stop: i%2 == 0}) })
		}
	})
}

// kill says how a stand-in is killed.
type kill struct {
	after time.Duration // when it has not said that it is ready; 0 waits for that
	stop  bool          // stop all of Chromium before
}

func killAt(t *testing.T, role string, how kill) {
	tmp := openTemp(t)
	before := strays(t)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{roleVar + "=" + role, "TMPDIR=" + tmp, "PATH=/usr/bin:/bin"}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	sidecar := cmd.Process.Pid
	if how.after > 0 {
		time.Sleep(how.after) // a random moment is the point
	} else if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Errorf("stand-in says %q, %v", line, err)
	}
	processes := family(sidecar)
	if how.stop {
		for _, p := range processes {
			// Not a child of ours that does not execute yet: it would be no
			// hanging Chromium but a hanging sidecar.
			if strings.Contains(strings.Join(proc.Args(p.PID), " "), "chromium") {
				syscall.Kill(p.PID, syscall.SIGSTOP)
			}
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	killed := time.Now()

	var left []string
	clean := eventually(goneWithin, func() bool {
		left = leftovers(t, tmp, processes)
		return len(left) == 0
	})
	if !clean {
		t.Fatalf("left: %q", left)
	}
	t.Logf("%d processes and all directories gone after %s", len(processes), time.Since(killed).Round(time.Millisecond))
	for path := range strays(t) {
		if !before[path] && strings.HasPrefix(path, "/tmp") {
			t.Errorf("stray %s", path)
		}
	}
}

// leftovers are processes that were the sidecar's or that mention its
// temporary directory, and what lies in that.
func leftovers(t *testing.T, tmp string, processes []proc.Process) []string {
	t.Helper()
	var left []string
	for _, p := range processes {
		if now, err := proc.Read(p.PID); err == nil && now.Start == p.Start && !now.Zombie {
			left = append(left, fmt.Sprintf("process %d %q", p.PID, proc.Args(p.PID)))
		}
	}
	all, err := proc.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		cwd, _ := os.Readlink(procFile(p.PID, "cwd"))
		if p.PID != os.Getpid() && (strings.Contains(strings.Join(proc.Args(p.PID), " "), tmp) || strings.HasPrefix(cwd, tmp)) {
			left = append(left, fmt.Sprintf("process %d mentions the directory", p.PID))
		}
	}
	for _, name := range names(t, tmp) {
		if name == "workdir" && len(names(t, filepath.Join(tmp, name))) == 0 {
			continue // the host's, not ours to remove
		}
		left = append(left, name)
	}
	return left
}

// TestBothKilled kills sidecar and survivor: the next start sweeps.
func TestBothKilled(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		tmp := openTemp(t)
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = []string{roleVar + "=answered", "TMPDIR=" + tmp, "PATH=/usr/bin:/bin"}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
			t.Errorf("stand-in says %q, %v", line, err)
		}
		processes := family(cmd.Process.Pid)
		for _, p := range processes {
			if slices.Contains(proc.Args(p.PID), "__janitor") {
				syscall.Kill(p.PID, syscall.SIGKILL)
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		if got := names(t, tmp); len(got) != 1 {
			t.Fatalf("the dead session's directory: %q", got)
		}

		t.Setenv("TMPDIR", tmp)
		s, log := open(t, "")
		if !eventually(goneWithin, func() bool { return strings.Contains(log.String(), "removed what a dead session left") }) {
			t.Errorf("log: %s", log)
		}
		if got := names(t, tmp); len(got) != 1 || got[0] != filepath.Base(s.Root) {
			t.Errorf("after the sweep: %q; the living is %s", got, s.Root)
		}
	})
}

// standIn is a sidecar that goes as far as its role says and waits.
func standIn(role string) {
	until, variant, _ := strings.Cut(role, " ")
	reached := func(moment string) {
		if moment == until {
			fmt.Println("ready")
			time.Sleep(time.Minute) // to be killed
			os.Exit(3)
		}
	}
	ctx := context.Background()
	want := chrome.Want{Chromium: chrome.Shell}
	if variant == "full" {
		want.Chromium = chrome.Full
	}
	binary, err := chrome.Find(ctx, want)
	check(err)
	user, err := chrome.PickUser()
	check(err)
	workdir := ""
	if variant == "workdir" {
		workdir = filepath.Join(os.TempDir(), "workdir")
		check(os.Mkdir(workdir, 0o700))
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	dirs, err := janitor.Open(janitor.Options{Workdir: workdir, UID: user.UID, GID: user.GID, Hold: user.Hold(), Log: log})
	check(err)
	reached("opened")
	seat, err := chrome.Prepare(ctx, chrome.Options{
		Binary: binary, User: user, Profile: dirs.Profile, Home: dirs.Home, Tmp: dirs.Tmp, Log: log,
	})
	check(err)
	reached("prepared")
	p, err := seat.Start(ctx, seat.Listener().Addr().String())
	check(err)
	reached("started")
	dirs.Watch(p.PID())
	reached("watched")
	ask := cdproto.Message{ID: 1, Method: cdproto.CommandBrowserGetVersion}
	check(p.Transport().Write(ctx, &ask))
	var answer cdproto.Message
	check(p.Transport().Read(ctx, &answer))
	reached("answered")
	os.Exit(2)
}

// check ends a stand-in that can't go on.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
