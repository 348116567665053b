package main_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// scarce starts a sidecar after a shell's preparations. As root these are done in
// mount and network namespaces of the sidecar's own: they bother nobody, and end
// with it.
func scarce(t *testing.T, prepare string, config apptest.Config) *apptest.Process {
	t.Helper()
	dir := apptest.Workdir(t)
	all := apptest.Config{"token": apptest.Token, "workdir": dir, "lifeline": true, "app_url": deadApp}
	for k, v := range config {
		all[k] = v
	}
	script := prepare + "\nexec " + apptest.Build(t)
	cmd := exec.Command("/bin/sh", "-ec", script)
	if strings.Contains(prepare, "mount") || strings.Contains(prepare, "ip ") {
		if os.Geteuid() != 0 {
			t.Skip("needs root, to make a place where something is scarce")
		}
		if err := exec.Command("unshare", "--mount", "--net", "true").Run(); err != nil {
			t.Skipf("a container's root may not make a place where something is scarce: unshare: %v", err)
		}
		cmd = exec.Command("unshare", "--mount", "/bin/sh", "-ec", script)
		if strings.Contains(prepare, "ip ") {
			cmd.Args = append([]string{"unshare", "--net"}, cmd.Args[1:]...)
		}
	}
	cmd.Env = append(os.Environ(), "DIR="+dir)
	p := apptest.SpawnCommand(t, cmd, encode(t, all))
	p.Workdir = dir
	return p
}

// TestStartsThatLack has starts on a machine that lacks something: exit code 1, one
// clear line, and nothing left.
func TestStartsThatLack(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: under the race detector the sidecar itself lacks more than it is to lack")
	}
	for _, c := range []struct {
		name, prepare string
		code          proto.Code
		says          string
	}{
		{"a place to write", `mount -t tmpfs -o ro none "$DIR"`, proto.CodeWorkdirUnusable, "read-only file system"},
		{"descriptors", `ulimit -n 16`, proto.CodeListenFailed, "too many open files"},
		{"some descriptors", `ulimit -n 64`, proto.CodeBrowserExited, "it may open 64 files"},
		// The sidecar itself maps some 2 GB.
		{"memory", `ulimit -v 6000000`, proto.CodeBrowserExited, "Chromium ended unexpectedly"},
		{"ports", `ip link set lo up; mount -t proc none /proc; echo 40000 40000 >/proc/sys/net/ipv4/ip_local_port_range; echo 40000 >/proc/sys/net/ipv4/ip_local_reserved_ports`, proto.CodeListenFailed, "no free port is left"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := scarce(t, c.prepare, nil)
			code := p.Wait()
			e := errorLine(t, p.Stderr())
			if code != 1 || len(p.Stdout()) != 0 {
				t.Errorf("exit code %d, stdout %q", code, p.Stdout())
			}
			if e.Code != c.code || !strings.Contains(e.Message, c.says) || e.Hint == "" {
				t.Errorf("the error line is %+v; want %s that says %q, and a hint", e, c.code, c.says)
			}
		})
	}
}

// TestSmallSharedMemory has containers' usual /dev/shm, and less.
func TestSmallSharedMemory(t *testing.T) {
	t.Parallel()
	site := apptest.Start(t)
	p := scarce(t, "mount -t tmpfs -o size=1m none /dev/shm", apptest.Config{"app_url": site.URL()})
	p.AwaitReady(apptest.Token)
	p.MCP.Initialize()
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/form"})
	p.MCP.Must("browser_take_screenshot", apptest.Args{"fullPage": true})
	if code := p.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestDiskFull fills the file system that the session lives on: what needs space
// says so, all else goes on, and the end is as usual.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	site := apptest.Start(t)
	p := scarce(t, `mount -t tmpfs -o size=30m none "$DIR"; chmod 711 "$DIR"`, apptest.Config{"app_url": site.URL()})
	p.AwaitReady(apptest.Token)
	p.MCP.Initialize()
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/downloads"})
	said := ""
	apptest.Await(t, "a download that finds no room", func() bool {
		said = p.MCP.Must("browser_evaluate", apptest.Args{"function": `() => { const a = document.createElement('a'); a.href = '/downloads/large?bytes=8000000'; a.download = 'x'; document.body.append(a); a.click() }`})
		return strings.Contains(said, "no space left on device")
	})
	if strings.Contains(said, p.Workdir) {
		t.Errorf("the agent is told where the session lives: %s", said)
	}
	for range 3 {
		if text := p.MCP.Must("browser_navigate", apptest.Args{"url": "/form"}); !strings.Contains(text, "textbox") {
			t.Errorf("a page: %s", text)
		}
		p.MCP.Must("browser_take_screenshot", nil)
		p.MCP.Must("browser_tabs", apptest.Args{"action": "new", "url": "/lab"})
	}
	if code := p.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
