package main_test

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// ordinaryUser has no name, no home and no groups: the least that a sidecar may
// be started as.
const ordinaryUser = 64_990

// TestRenderersAreSandboxed looks at the processes that run a page's code, in
// both browsers, started by root and by an ordinary user: system calls are
// filtered, and process and network namespaces are the renderer's own. The
// browser itself never runs as root.
func TestRenderersAreSandboxed(t *testing.T) {
	users := map[string]*syscall.Credential{"": nil}
	if os.Geteuid() == 0 {
		users = map[string]*syscall.Credential{
			"as root": nil, "as an ordinary user": {Uid: ordinaryUser, Gid: ordinaryUser, Groups: []uint32{}},
		}
	}
	for as, user := range users {
		for _, flavour := range flavours() {
			t.Run(flavour+" "+as, func(t *testing.T) {
				t.Parallel()
				site, dir := apptest.Start(t), apptest.Workdir(t)
				cmd := exec.Command(apptest.Build(t))
				if user != nil {
					cmd.SysProcAttr = &syscall.SysProcAttr{Credential: user}
					if err := os.Chown(dir, int(user.Uid), int(user.Gid)); err != nil {
						t.Fatal(err)
					}
				}
				p := apptest.SpawnCommand(t, cmd, encode(t, apptest.Config{
					"app_url": site.URL(), "token": apptest.Token, "workdir": dir, "chromium": flavour, "lifeline": true,
				}))
				p.Workdir = dir
				p.AwaitReady(apptest.Token)
				if f := p.Ready.Features; !f.Sandbox || f.UnprivilegedUser != (user == nil && os.Geteuid() == 0) {
					t.Errorf("features %+v", f)
				}
				p.MCP.Initialize()
				// Frames of another site, so that there are several renderers.
				p.MCP.Must("browser_navigate", apptest.Args{"url": "/frames"})
				looksShut(t, chromium(t, dir))
				if code := p.Stop(); code != 0 {
					t.Errorf("exit code %d", code)
				}
			})
		}
	}
}

// looksShut checks the renderers of a browser process against their browser.
func looksShut(t *testing.T, browser int) {
	t.Helper()
	its, err := proc.Status(browser)
	if err != nil || userOf(t, its) == 0 {
		t.Errorf("the browser runs as %q: %v", its["Uid"], err)
	}
	// In a container root may not look at namespaces of other users' processes,
	// and sees no more than how deep their process namespaces are.
	readable := proc.Namespace(browser, "net") != ""
	if !readable {
		t.Log("the namespaces can't be read here")
	}
	depth := func(status map[string]string) int { return len(strings.Fields(status["NSpid"])) }
	renderers := 0
	for pid, args := range tree(t, browser) {
		if !slices.ContainsFunc(args, isRenderer) {
			continue
		}
		renderers++
		status, err := proc.Status(pid)
		if err != nil {
			t.Errorf("renderer %d: %v", pid, err)
			continue
		}
		const filtered = "2"
		if status["Seccomp"] != filtered || status["NoNewPrivs"] != "1" || userOf(t, status) == 0 {
			t.Errorf("renderer %d: seccomp %q, no new privileges %q, user %q", pid, status["Seccomp"], status["NoNewPrivs"], status["Uid"])
		}
		if depth(status) <= depth(its) {
			t.Errorf("renderer %d has the ids %q, in no process namespace below the browser's %q", pid, status["NSpid"], its["NSpid"])
		}
		for _, kind := range []string{"pid", "net"} {
			if own, its := proc.Namespace(pid, kind), proc.Namespace(browser, kind); readable && (own == "" || own == its) {
				t.Errorf("renderer %d: its %s namespace is %q, the browser's %q", pid, kind, own, its)
			}
		}
	}
	if renderers == 0 {
		t.Error("there is no renderer")
	}
}

// isRenderer is isType for renderers.
func isRenderer(arg string) bool { return strings.Contains(arg, "--type=renderer") }

// userOf is the real user id of a process's status.
func userOf(t *testing.T, status map[string]string) int {
	t.Helper()
	text, _, _ := strings.Cut(status["Uid"], "\t")
	uid, err := strconv.Atoi(text)
	if err != nil {
		t.Errorf("user %q: %v", status["Uid"], err)
	}
	return uid
}
