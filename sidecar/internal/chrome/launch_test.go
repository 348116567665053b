//go:build linux

package chrome

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// TestLaunch starts both flavours and looks at everything that the package
// promises of a running browser.
func TestLaunch(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		for _, flavour := range []string{Shell, Full} {
			t.Run(flavour, func(t *testing.T) { lookAt(t, launch(t, flavour)) })
		}
	})
}

func lookAt(t *testing.T, b *browserUnderTest) {
	t.Helper()
	if product := b.ask(t, "", "Browser.getVersion", struct{}{})["product"]; !strings.Contains(fmt.Sprint(product), "Chrome") {
		t.Errorf("product is %v", product)
	}
	checkWalls(t, b)
	checkProcess(t, b)
	checkNetwork(t, b)

	page := b.tab(t, "about:blank")
	if hover := b.evaluate(t, page, "matchMedia('(hover: hover) and (pointer: fine)').matches"); hover != true {
		t.Error("pages believe that there is no mouse")
	}
	if err := b.CheckCommandLine(); err != nil {
		t.Error(err)
	}
	profile := b.profile
	b.Kill()
	if err := b.ExitError(); err != nil {
		t.Errorf("killed by us: %v", err)
	}
	if left := mine(t, b); left != nil {
		t.Errorf("left: %+v", left)
	}
	// Everything that Chromium made lies in the profile.
	entries, _ := filepath.Glob(filepath.Dir(profile) + "/*")
	if len(entries) != 1 {
		t.Errorf("beside the profile: %q", entries)
	}
}

// checkWalls looks at the sandbox and the command lines.
func checkWalls(t *testing.T, b *browserUnderTest) {
	t.Helper()
	renderers, err := awaitSandbox(t.Context(), b.PID())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range renderers {
		if !r.Seccomp || !r.OwnPID || !r.Readable || !r.OwnUser || !r.OwnNet {
			t.Errorf("%+v", r)
		}
	}
	if err := b.CheckCommandLine(); err != nil {
		t.Error(err)
	}
}

// checkProcess looks at the browser process's user, place and belongings.
func checkProcess(t *testing.T, b *browserUnderTest) {
	t.Helper()
	row, err := proc.Read(b.PID())
	if err != nil {
		t.Fatal(err)
	}
	if row.Session != b.PID() || row.Group != b.PID() || row.UID != b.user.UID || row.UID == 0 {
		t.Errorf("process %+v, user %+v", row, b.user)
	}
	status, err := proc.Status(b.PID())
	if err != nil {
		t.Fatal(err)
	}
	if b.user.Dedicated && status["Groups"] != "" {
		t.Errorf("groups %q", status["Groups"])
	}
	for _, set := range []string{"CapPrm", "CapEff", "CapAmb"} {
		if strings.Trim(status[set], "0") != "" {
			t.Errorf("capabilities: %s %s", set, status[set])
		}
	}
	// Beside standard descriptors and the pipe, Chromium holds what it opened
	// itself and nothing that we hold.
	ours := descriptors(t, os.Getpid())
	for fd, what := range descriptors(t, b.PID()) {
		if fd > 4 && slices.Contains(values(ours), what) && strings.Contains(what, ":[") && !strings.HasPrefix(what, "anon_inode") {
			t.Errorf("descriptor %d is our %s", fd, what)
		}
	}
}

// checkNetwork lets Chromium reach the listener and others fail to.
func checkNetwork(t *testing.T, b *browserUnderTest) {
	t.Helper()
	if private, why := b.seat.PrivateNetwork(); !private || why != "" || !b.PrivateNetwork() {
		t.Fatalf("no private network: %s", why)
	}
	addr := b.seat.Listener().Addr().String()
	// The test stands for every other local process.
	if conn, err := net.Dial("tcp", addr); err == nil {
		conn.Close()
		t.Errorf("others reach the listener at %s", addr)
	}
	asked := make(chan string, 1)
	go func() {
		for {
			conn, err := b.seat.Listener().Accept()
			if err != nil {
				close(asked)
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil && strings.HasSuffix(r.Host, ".test") {
				conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"))
				select {
				case asked <- r.RequestURI:
				default:
				}
			}
			conn.Close()
		}
	}()
	b.tab(t, "http://somewhere.test/")
	select {
	case got := <-asked:
		if got != "http://somewhere.test/" {
			t.Errorf("the proxy was asked for %q", got)
		}
	case <-time.After(askWithin):
		t.Error("Chromium does not reach the listener")
	}
}

func descriptors(t *testing.T, pid int) map[int]string {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	list := make(map[int]string)
	for _, e := range entries {
		if what, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil {
			fd, _ := strconv.Atoi(e.Name())
			list[fd] = what
		}
	}
	return list
}

func values(m map[int]string) (list []string) {
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// mine are the processes of a browser that still run.
func mine(t *testing.T, b *browserUnderTest) []proc.Process {
	t.Helper()
	all, err := proc.List()
	if err != nil {
		t.Fatal(err)
	}
	return b.claim.Select(all, proc.Args)
}

// TestSharedNetwork is the fallback, where the listener is an ordinary one.
func TestSharedNetwork(t *testing.T) {
	b := launch(t, Shell, func(o *Options) { o.DangerouslyShareNetwork = true })
	b.ask(t, "", "Browser.getVersion", struct{}{})
	if private, why := b.seat.PrivateNetwork(); private || why == "" {
		t.Errorf("private %t, reason %q", private, why)
	}
	conn, err := net.Dial("tcp", b.seat.Listener().Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if _, err := awaitSandbox(t.Context(), b.PID()); err != nil {
		t.Error(err)
	}
}

// TestLongPath starts full Chromium where its socket has no room.
func TestLongPath(t *testing.T) {
	b := launch(t, Full, func(o *Options) {
		long := filepath.Join(filepath.Dir(o.Profile), strings.Repeat("long", 20))
		if err := os.Mkdir(long, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(o.Profile, filepath.Join(long, "profile-abcdef")); err != nil {
			t.Fatal(err)
		}
		o.Profile = filepath.Join(long, "profile-abcdef")
	})
	b.ask(t, "", "Browser.getVersion", struct{}{})
}

// TestSeatUnused gives a seat back without a start.
func TestSeatUnused(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		user, err := PickUser()
		if err != nil {
			t.Fatal(err)
		}
		defer user.Close()
		seat, err := Prepare(t.Context(), Options{User: user})
		if err != nil {
			t.Fatal(err)
		}
		if err := seat.Close(); err != nil {
			t.Error(err)
		}
		if err := seat.Close(); err != nil {
			t.Errorf("second Close: %v", err)
		}
		if _, err := seat.Start(t.Context(), "127.0.0.1:1"); err == nil {
			t.Error("a closed seat starts a browser")
		}
	})
}

// TestCycles starts and ends browsers and counts what stays.
func TestCycles(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		cycle := func() {
			b, err := tryLaunch(t, Shell)
			if err != nil {
				t.Fatal(err)
			}
			b.ask(t, "", "Browser.getVersion", struct{}{})
			b.end()
		}
		cycle() // the first one opens the poller and the like
		before := len(descriptors(t, os.Getpid()))
		for range 5 {
			cycle()
		}
		if after := len(descriptors(t, os.Getpid())); after != before {
			t.Errorf("%d descriptors after 5 cycles, %d before: %v", after, before, descriptors(t, os.Getpid()))
		}
	})
}

// TestChecks runs the doctor on a machine that has everything but a display.
func TestChecks(t *testing.T) {
	bothUsers(t, func(t *testing.T) {
		for _, flavour := range []string{Shell, Full} {
			if _, err := Find(t.Context(), Want{Chromium: flavour}); err != nil {
				t.Skip(err)
			}
		}
		t.Setenv("TMPDIR", openTemp(t))
		before, _ := filepath.Glob(filepath.Join(os.TempDir(), "*"))
		seen := make(map[string]bool)
		for _, c := range Checks(t.Context()) {
			t.Logf("%+v", c)
			seen[c.Name] = true
			if !c.OK && c.Fix == "" {
				t.Errorf("%s has no cure", c.Name)
			}
			switch c.Name {
			case "display", "fonts":
			default:
				if !c.OK {
					t.Errorf("%+v", c)
				}
			}
		}
		for _, name := range []string{"user", "chromium headless shell", "chromium full", "private network", "sandbox", "command line", "user namespaces", "shared memory", "fonts", "display"} {
			if !seen[name] {
				t.Errorf("no check of %s", name)
			}
		}
		if after, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(after) != len(before) {
			t.Errorf("left in the temporary directory: %q, before %q", after, before)
		}
	})
}
