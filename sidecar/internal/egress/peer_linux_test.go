package egress

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func TestOwnerOfAConnection(t *testing.T) {
	for _, network := range []string{"tcp4", "tcp6"} {
		l, err := net.Listen(network, map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0"}[network])
		if err != nil {
			t.Logf("no %s here: %v", network, err)
			continue
		}
		c, err := net.Dial(network, l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		s, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if uid, found := ownerOf(s.RemoteAddr(), s.LocalAddr()); !found || uid != os.Getuid() {
			t.Errorf("%s: owner %d, %v", network, uid, found)
		}
		other := &net.TCPAddr{IP: s.RemoteAddr().(*net.TCPAddr).IP, Port: 1}
		for name, pair := range map[string][2]net.Addr{
			"another port of theirs": {other, s.LocalAddr()}, "another port of ours": {s.RemoteAddr(), other},
			"no TCP": {&net.UnixAddr{}, s.LocalAddr()},
		} {
			if uid, found := ownerOf(pair[0], pair[1]); found {
				t.Errorf("%s: %s has owner %d", network, name, uid)
			}
		}
		_, _, _ = c.Close(), s.Close(), l.Close()
	}
}

func TestKernelAddr(t *testing.T) {
	for text, want := range map[string]string{
		"0100007F:1F90":                         "127.0.0.1:8080",
		"0000000000000000FFFF00000100007F:0050": "127.0.0.1:80",
		"00000000000000000000000001000000:0001": "[::1]:1",
		"zz:1":                                  "", "0100007F": "", "01:1": "", "0100007F:10000": "",
	} {
		var expected netip.AddrPort
		if want != "" {
			expected = netip.MustParseAddrPort(want)
		}
		if got := kernelAddr(text); got != expected {
			t.Errorf("%s is %v, want %s", text, got, want)
		}
	}
}

// Another user's connection is closed unread; our own is served.
func TestOnlyTheOwnUserGetsIn(t *testing.T) {
	app := newSite(t, "127.0.0.1:0", nil)
	p := start(t, app.URL, Options{PeerAllowed: OwnedBy(os.Getuid())})
	if got := p.ask("GET http://" + app.host + "/ HTTP/1.1\n\n"); got.status != http.StatusOK {
		t.Errorf("our own: %+v", got)
	}
	p = start(t, app.URL, Options{PeerAllowed: OwnedBy(os.Getuid() + 1)})
	c := p.dialRaw()
	fmt.Fprintf(c, "GET http://%s/ HTTP/1.1\r\n\r\n", app.host)
	if line, err := bufio.NewReader(c).ReadString('\n'); err == nil {
		t.Errorf("another user's: %q", line)
	}
	waitFor(t, "it to be counted", func() bool { return p.Stats().Turned == 1 })
	if os.Getuid() != 0 {
		t.Skip("needs root to be somebody else")
	}
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("needs curl to be somebody else")
	}
	p = start(t, app.URL, Options{PeerAllowed: OwnedBy(0)})
	cmd := exec.Command(curl, "-s", "-o", "/dev/null", "-x", "http://"+p.addr, "http://"+app.host+"/")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534, Groups: []uint32{}}}
	if out, err := cmd.CombinedOutput(); err == nil || strings.Contains(string(out), "200") {
		t.Errorf("nobody got in: %s", out)
	}
}
