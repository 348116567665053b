//go:build linux

package attack

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// worldEnv tells a test binary that it stands in the world already; noWorldEnv
// tells the tests why it does not.
const (
	worldEnv   = "PILLION_ATTACK_WORLD"
	noWorldEnv = "PILLION_ATTACK_NO_WORLD"
)

// Addresses of the cable between the two namespaces. The far end answers for
// every other address as well.
const (
	nearAddr, farAddr   = "10.77.0.2", "10.77.0.1"
	nearAddr6, farAddr6 = "fd77::2", "fd77::1"
)

// searchDomain is where a resolver may look for a name without a dot.
const searchDomain = "corp.test"

// enterWorld puts this process into a network and mount namespace of its own, by
// executing itself there: it returns nil in the new image. The error says why
// that can't be; then the process is what it was.
func enterWorld() error {
	if os.Getenv(worldEnv) != "" {
		return nil
	}
	if os.Geteuid() != 0 {
		return errors.New("needs root, to make a network of its own")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		return errors.New("needs the command ip, to make a network of its own")
	}
	// The new image gets the namespaces of the thread that executes it.
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET | unix.CLONE_NEWNS); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("needs a network of its own: %w", err)
	}
	os.Setenv(worldEnv, "1")
	err := syscall.Exec("/proc/self/exe", os.Args, os.Environ())
	panic(err) // half in, half out: nothing that runs from here on means anything
}

// world is the network around the product under test.
type world struct {
	names *nameServer
	tap   *tap
	near  *sites // on loopback and this machine's own addresses
	far   *sites // everywhere else
	do    chan func()
}

// newWorld builds the far namespace, the cable and what answers at its ends, for
// the time of the test; nil where there can't be one.
func newWorld(t *testing.T) *world {
	t.Helper()
	if why := os.Getenv(noWorldEnv); why != "" {
		return nil
	}
	w := &world{do: make(chan func())}
	made, ended := make(chan error), make(chan struct{})
	tid := 0
	go func() {
		defer close(ended)
		runtime.LockOSThread() // never unlocked: the thread ends with its namespace
		err := unix.Unshare(unix.CLONE_NEWNET)
		tid = unix.Gettid()
		made <- err
		for f := range w.do {
			f()
		}
	}()
	err := <-made
	t.Cleanup(func() { close(w.do); <-ended })
	if err != nil {
		t.Fatalf("make the far namespace: %v", err)
	}
	run(t,
		"ip link set lo up",
		fmt.Sprintf("ip link add near type veth peer name far netns %d", tid),
		"ip addr add "+nearAddr+"/24 dev near",
		"ip -6 addr add "+nearAddr6+"/64 dev near nodad",
		"ip link set near up",
	)
	t.Cleanup(func() { run(t, "ip link del near") }) // the far end goes with it, and its namespace when it likes
	w.there(func() {
		run(t,
			"ip link set lo up",
			"ip addr add "+farAddr+"/24 dev far",
			"ip -6 addr add "+farAddr6+"/64 dev far nodad",
			"ip link set far up",
			// Every address is at home here but the near end's.
			"ip route add local 0.0.0.0/0 dev lo",
			"ip -6 route add local ::/0 dev lo",
			"ip route add "+nearAddr+"/32 dev far table local",
			"ip -6 route add "+nearAddr6+"/128 dev far table local",
		)
		w.tap = openTap(t, "far")
		w.names = newNameServer(t, net.JoinHostPort(farAddr, "53"))
		w.far = newSites(t)
	})
	if t.Failed() {
		t.FailNow() // on this goroutine: the other one is not the test's
	}
	run(t,
		"ip route add default via "+farAddr,
		"ip -6 route add default via "+farAddr6,
	)
	w.near = newSites(t)
	useNames(t)
	for _, addr := range []string{publicAddr, "2606:4700::1"} { // the first packets find their way slowly
		apptest.Await(t, "a way to the far end", func() bool {
			c, err := net.DialTimeout("tcp", net.JoinHostPort(addr, "80"), time.Second)
			if err == nil {
				c.Close()
			}
			return err == nil
		})
	}
	return w
}

// there runs f in the far namespace. Sockets that f opens stay there.
func (w *world) there(f func()) {
	done := make(chan struct{})
	w.do <- func() { defer close(done); f() }
	<-done
}

// useNames makes the world's name server the system's, for this process and its
// children.
func useNames(t *testing.T) {
	t.Helper()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatalf("make mounts private: %v", err)
	}
	conf := fmt.Sprintf("nameserver %s\nsearch %s\noptions timeout:2 attempts:1\n", farAddr, searchDomain)
	f, err := os.CreateTemp(t.TempDir(), "resolv-")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(conf); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(f.Name(), "/etc/resolv.conf", "", unix.MS_BIND, ""); err != nil {
		t.Fatalf("put a resolv.conf in place: %v", err)
	}
	t.Cleanup(func() { unix.Unmount("/etc/resolv.conf", unix.MNT_DETACH) })
}

// run executes commands of the system, each a line of words.
func run(t *testing.T, lines ...string) {
	t.Helper()
	failed := false
	for _, line := range lines {
		words := strings.Fields(line)
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", line, err, out)
			failed = true
		}
	}
	if failed {
		t.Fatal("there is no world to test in")
	}
}

// enterNetwork locks the calling goroutine to its thread for good and takes it
// into a network namespace.
func enterNetwork(path string) error {
	runtime.LockOSThread()
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Setns(int(f.Fd()), unix.CLONE_NEWNET)
}
