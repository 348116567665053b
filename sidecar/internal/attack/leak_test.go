//go:build linux

package attack

import (
	_ "embed"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
)

// leakWait is how long a leak gets to show: ICE gathering begins late, and a test
// of six seconds has been seen to look clean when there was a leak.
const leakWait = 25 * time.Second

// idleWait is how long a browser is left alone before its first page: what it has
// to say by itself, it says in that time.
const idleWait = 30 * time.Second

// stunAddr is a server for STUN that a page names by its address.
const stunAddr = "203.0.113.9"

// mdnsGroup is 224.0.0.251 as the kernel's table has it.
const mdnsGroup = "FB0000E0"

// battery is everything that a page can do to send something around the proxy.
//
//go:embed js/battery.js
var battery string

// seat is where the battery is fired.
type seat struct {
	flavour string
	share   bool // one network with the sidecar
}

func (s seat) String() string {
	if s.share {
		return s.flavour + ", shared network"
	}
	return s.flavour + ", own network"
}

// result is what the battery did.
type result struct {
	idle, datagrams, tcp, near []string
	counted                    int // datagrams by the kernel's count, in Chromium's network
	asked                      []string
	workers                    string
}

// fire starts a browser, leaves it alone for a while, then loads the page with the
// battery and waits.
func fire(t *testing.T, e *scene, s seat) result {
	t.Helper()
	token := strings.NewReplacer(" ", "", ",", "").Replace(s.String())
	var r result
	l := openLab(t, e.origin(), s.flavour, s.share)
	tab := l.browser.Tabs()[0]
	before, sentBefore := mark(e.world), sent(l.process.PID())
	time.Sleep(idleWait) // no page yet
	for _, p := range e.world.tap.since(before.tap, func(packet) bool { return true }) {
		r.idle = append(r.idle, p.String())
	}
	before = mark(e.world)
	if _, err := tab.Navigate(within(t), e.origin()+"/leave?to=x"); err != nil {
		t.Fatal(err)
	}
	eval(t, tab.MainFrame(), strings.ReplaceAll(battery, "TOKEN", token))
	time.Sleep(leakWait)
	r.workers = eval(t, tab.MainFrame(), "workers")
	r.counted = sent(l.process.PID()) - sentBefore
	for _, p := range e.world.tap.since(before.tap, datagrams) {
		r.datagrams = append(r.datagrams, p.String())
	}
	for _, p := range e.world.tap.since(before.tap, func(p packet) bool { return p.proto == "tcp" }) {
		r.tcp = append(r.tcp, p.String())
	}
	for _, a := range e.world.near.since(before.near, nil) {
		r.near = append(r.near, a.String())
	}
	for _, name := range e.world.names.all() {
		if strings.Contains(name, token) {
			r.asked = append(r.asked, name)
		}
	}
	return r
}

// leaks are the results by seat, made once.
type leaks struct {
	results map[string]result
}

// leakRow judges a row by what the battery did, in each browser, in a network of
// its own and in one that it shares with the sidecar.
func leakRow(t *testing.T, e *scene, r row) {
	e.needWorld(t)
	if !full() {
		t.Skip("not run here: it waits for minutes; see make attack")
	}
	for _, share := range []bool{false, true} {
		s := seat{flavour: e.flavour, share: share}
		got, ok := e.leaks.results[s.String()]
		if !ok {
			got = fire(t, e, s)
			e.leaks.results[s.String()] = got
		}
		got.judge(t, s, r)
	}
}

func (g result) judge(t *testing.T, s seat, r row) {
	t.Helper()
	complain := func(what string, list []string) {
		t.Helper()
		if len(list) > 0 {
			t.Errorf("%v: %s: %q", s, what, list)
		}
	}
	if len(g.tcp) > 0 {
		t.Logf("%v: connections through the proxy: %q", s, g.tcp)
	}
	switch r.ID {
	case "S089":
		complain("datagrams", g.datagrams)
		if !s.share && g.counted > 0 {
			t.Errorf("%v: the kernel counts %d datagrams in Chromium's network", s, g.counted)
		}
	case "S090":
		complain("names that were asked for", g.asked)
		complain("datagrams", g.datagrams)
	case "S091", "S092":
		complain("arrived at loopback", g.near)
	case "S093":
		if strings.Contains(g.workers, "registered") {
			t.Errorf("%v: a service worker was registered: %s", s, g.workers)
		}
	case "S094":
		complain("names that were asked for", g.asked)
		complain("arrived at loopback", g.near)
		complain("connections", g.tcp)
	case "S095":
		complain("without any page", g.idle)
	default:
		complain("datagrams", g.datagrams)
		complain("names that were asked for", g.asked)
		complain("arrived at loopback", g.near)
	}
}

// withoutWalls is the other half of the leak rows: in a Chromium without a wall a
// page that does less is loud, and the tap hears it.
func (e *scene) withoutWalls(t *testing.T) {
	e.needWorld(t)
	flavour := e.flavour
	binary, err := chrome.Find(within(t), chrome.Want{Chromium: flavour})
	if err != nil {
		t.Fatal(err)
	}
	user, err := chrome.PickUser()
	if err != nil {
		t.Fatal(err)
	}
	defer user.Close()
	dir := apptest.Workdir(t)
	if err := os.Chown(dir, user.UID, user.GID); err != nil {
		t.Fatal(err)
	}
	args := []string{"--user-data-dir=" + dir + "/p", "--no-first-run", "--remote-debugging-pipe"}
	if flavour == chrome.Full {
		args = append(args, "--headless=new")
	}
	cmd := exec.Command(binary.Path, append(args, e.origin()+"/leave?how=rtc&to=http://"+stunAddr+":3478")...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid: true, Pdeathsig: syscall.SIGKILL,
		Credential: &syscall.Credential{Uid: uint32(user.UID), Gid: uint32(user.GID), Groups: []uint32{}},
	}
	commands, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	events, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { w.Close(); events.Close() }()
	cmd.ExtraFiles = []*os.File{commands, out}
	before := e.world.tap.mark()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	commands.Close()
	out.Close()
	defer func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
		// It listens for neighbours, and the kernel says so more than once.
		apptest.Await(t, "the end of its memberships", func() bool {
			b, err := os.ReadFile("/proc/thread-self/net/igmp")
			return err == nil && !strings.Contains(string(b), mdnsGroup)
		})
	}()
	loud := to(netip.MustParseAddr(stunAddr))
	joins := func(p packet) bool { return p.proto == "join" }
	for _, heard := range []func(packet) bool{loud, joins} {
		for end := time.Now().Add(2 * leakWait); len(e.world.tap.since(before, heard)) == 0; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s without walls sent too little within %v: %q. The silence of the others proves nothing", flavour, 2*leakWait, e.world.tap.since(before, datagrams))
			}
		}
		t.Logf("%s without walls: %v", flavour, e.world.tap.since(before, heard)[0])
	}
}
