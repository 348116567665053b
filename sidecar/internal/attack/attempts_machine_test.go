//go:build linux

package attack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// neighbour is another user of the machine.
const neighbour = 64_991

// as runs a shell's script as a user and gives what it said.
func as(t *testing.T, uid int, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), apptest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", script)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid), Groups: []uint32{}}}
	cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/bin"}
	out, _ := cmd.CombinedOutput() // what fails is what is wanted
	return string(out)
}

// neighbourAttempts are those of other programs on the machine.
func neighbourAttempts() []attempt {
	chromium := func(t *testing.T, s *stranger) (pid, uid int) {
		t.Helper()
		all := familyWith(s.p.PID, "--remote-debugging-pipe")
		if len(all) == 0 {
			t.Fatal("no Chromium")
		}
		info, err := os.Stat(fmt.Sprintf("/proc/%d", all[0]))
		if err != nil {
			t.Fatal(err)
		}
		return all[0], int(info.Sys().(*syscall.Stat_t).Uid)
	}
	const peek = `cat /proc/PID/environ; head -c 100 /proc/PID/mem; cat /proc/PID/maps | head -3; ls -l /proc/PID/fd/ /proc/PID/cwd/ /proc/PID/root/; cat /proc/PID/syscall; cat /proc/PID/io; ls /proc/PID/map_files; cat /proc/PID/auxv | head -c 8; readlink /proc/PID/exe /proc/PID/ns/net`
	return []attempt{
		{"N01", "another user looks into the sidecar", func(t *testing.T, s *stranger) {
			for line := range strings.Lines(as(t, neighbour, strings.ReplaceAll(peek, "PID", fmt.Sprint(s.p.PID)))) {
				if !strings.Contains(line, "denied") && !strings.Contains(line, "not permitted") {
					t.Errorf("it reads %q", line)
				}
			}
		}},
		{"N02", "Chromium's own user looks into the sidecar, and ends it", func(t *testing.T, s *stranger) {
			_, uid := chromium(t, s)
			for line := range strings.Lines(as(t, uid, strings.ReplaceAll(peek, "PID", fmt.Sprint(s.p.PID)))) {
				if !strings.Contains(line, "denied") && !strings.Contains(line, "not permitted") {
					t.Errorf("it reads %q", line)
				}
			}
			as(t, uid, fmt.Sprintf("kill -9 %d", s.p.PID))
			s.stillServes(t)
		}},
		{"N03", "another user looks into Chromium, and into its network", func(t *testing.T, s *stranger) {
			pid, _ := chromium(t, s)
			for line := range strings.Lines(as(t, neighbour, strings.ReplaceAll(peek, "PID", fmt.Sprint(pid)))) {
				if !strings.Contains(line, "denied") && !strings.Contains(line, "not permitted") {
					t.Errorf("it reads %q", line)
				}
			}
			if out := as(t, neighbour, fmt.Sprintf("nsenter --net=/proc/%d/ns/net true && echo entered", pid)); strings.Contains(out, "entered") {
				t.Error("it enters the network")
			}
			as(t, neighbour, fmt.Sprintf("kill -9 %d", pid))
			s.client(t).Must("browser_tabs", apptest.Args{"action": "list"})
		}},
		{"N04", "another user reads and writes the session's directories", func(t *testing.T, s *stranger) {
			c := s.open(t, "/head")
			c.Must("browser_take_screenshot", apptest.Args{"filename": "mine.png"})
			out := as(t, neighbour, fmt.Sprintf("ls %[1]s; for d in %[1]s/*; do ls $d && echo LISTED $d; echo x >$d/planted && echo PLANTED; done; echo x >%[1]s/planted && echo PLANTED", s.p.Workdir))
			if strings.Contains(out, "LISTED") || strings.Contains(out, "PLANTED") {
				t.Errorf("it does: %s", out)
			}
			for name := range tree(t, s.p.Workdir) {
				if info, err := os.Lstat(filepath.Join(s.p.Workdir, name)); err == nil && info.Mode().Perm()&0o077 != 0 && strings.HasPrefix(name, "output-") {
					t.Errorf("%s has the mode %v", name, info.Mode())
				}
			}
		}},
		{"N05", "another user takes the sidecar's port along with it", func(t *testing.T, s *stranger) {
			lc := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
				return c.Control(func(fd uintptr) {
					unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
					unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
				})
			}}
			if ln, err := lc.Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", s.p.Ready.Port)); err == nil {
				ln.Close()
				t.Error("somebody else listens there, too")
			}
		}},
		{"N06", "a second sidecar's Chromium on the same machine: another user, another network", func(t *testing.T, s *stranger) {
			other := &stranger{&scene{world: s.world, flavour: s.flavour, appHost: hostileHost}, s.site}
			other.begin(t)
			pid, uid := chromium(t, s)
			its, hers := chromium(t, other)
			if uid == hers {
				t.Errorf("both run as user %d", uid)
			}
			for _, name := range []string{"net", "pid", "user", "mnt"} {
				a, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, name))
				b, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", its, name))
				t.Logf("%s: %s, %s", name, a, b)
				if name == "net" && a == b {
					t.Error("both have one network")
				}
			}
			out := as(t, uid, fmt.Sprintf("cat /proc/%d/environ; ls %s/profile-*; kill -9 %d", its, other.p.Workdir, its))
			other.client(t).Must("browser_tabs", apptest.Args{"action": "list"})
			if strings.Contains(out, "HOME=") || strings.Contains(out, "Default") {
				t.Errorf("one reads the other's: %s", out)
			}
			other.p.Stop()
		}},
		{"N07", "leftovers of a session that never was, planted where the next one cleans up", func(t *testing.T, s *stranger) {
			precious := filepath.Join(t.TempDir(), "precious")
			dir := apptest.Workdir(t)
			if err := os.Chmod(dir, 0o1777); err != nil {
				t.Fatal(err)
			}
			for _, err := range []error{
				os.MkdirAll(filepath.Join(precious, "deep"), 0o777), os.WriteFile(filepath.Join(precious, "deep", "file"), []byte("x"), 0o666), os.Chmod(filepath.Dir(precious), 0o777),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			out := as(t, neighbour, fmt.Sprintf("cd %s && ln -s %s profile-deadbeef && ln -s %s output-deadbeef && ln -s %s .dead-1 && mkdir profile-real && ln -s %s profile-real/link && ln -s / uploads-deadbeef && ls -la", dir, precious, precious, precious, precious))
			p := apptest.Sidecar(t, apptest.Config{"app_url": s.origin(), "workdir": nil}, apptest.Config{"workdir": dir, "chromium": s.flavour})
			p.Workdir = "" // what was planted may stay
			if code := p.Stop(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if _, err := os.Stat(filepath.Join(precious, "deep", "file")); err != nil {
				t.Errorf("a stranger's link led the cleaning away: %v\n%s", err, out)
			}
			os.RemoveAll(dir)
		}},
	}
}

// hostAttempts are those of what the host is connected to: its pipe, and the
// ingest that it names.
func hostAttempts() []attempt {
	return []attempt{
		{"H01", "the lifeline: noise, depth, length, a hundred thousand commands", func(t *testing.T, s *stranger) {
			p := apptest.Sidecar(t, apptest.Config{"app_url": s.origin(), "chromium": s.flavour})
			before := rss(p.PID)
			for _, line := range []string{"", "x", "{", "null", "[]", "{}", `{"type":"exec","command":"id"}`, `{"type":"STOP"}`, `{"Type":"stop"}`, `{"type":["stop"]}`, "\x00\xff\xfe", strings.Repeat("[", 1<<20), `{"type":"` + strings.Repeat("x", 8<<20) + `"}`, `{"type":"extend"}`, `{"type":"extend","stop_at":"never"}`, `{"type":"revoke","user_id":7}`} {
				p.SendLine(line)
			}
			for range 1000 {
				p.SendLine(strings.TrimSuffix(strings.Repeat(`{"type":"nothing"}`+"\n", 100), "\n"))
			}
			// Answers to a flood may be lost, with its own last ones; the next is not.
			apptest.Await(t, "an answer", func() bool {
				p.Send(proto.Command{Type: proto.CommandPing})
				return slices.ContainsFunc(p.Events(), func(ev proto.Event) bool { return ev.Type == proto.EventPong })
			})
			if grown := rss(p.PID) - before; grown > 64<<20 {
				t.Errorf("the sidecar has grown by %d MiB", grown>>20)
			}
			if code := p.Stop(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		}},
		{"H02", "an ingest that answers with floods: an endless body, heads, hints, cookies, another place", func(t *testing.T, s *stranger) {
			var mu http.ServeMux
			var n int
			zeros := bytes.Repeat([]byte("x"), 1<<20)
			mu.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				n++
				switch n % 5 {
				case 0:
					w.Header().Set("Set-Cookie", "a=b")
					w.WriteHeader(http.StatusOK)
					for range 2000 {
						if _, err := w.Write(zeros); err != nil {
							return
						}
					}
				case 1:
					for i := range 20_000 {
						w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("y", 100))
					}
				case 2:
					for range 2000 {
						w.WriteHeader(http.StatusProcessing)
					}
				case 3:
					w.Header().Set("Location", "http://127.0.0.1:9001/")
					w.WriteHeader(http.StatusPermanentRedirect)
				default:
					json.NewEncoder(w).Encode(map[string]string{"error": apptest.Token})
				}
			})
			url := apptest.Serve(t, &mu)
			p := apptest.Sidecar(t, apptest.Config{"app_url": s.origin(), "chromium": s.flavour, "recording": apptest.Config{"url": url, "token": strings.Repeat("r", 40)}})
			p.MCP.Initialize()
			before := rss(p.PID)
			for i := range 6 {
				p.MCP.Must("browser_navigate", apptest.Args{"url": fmt.Sprintf("/head?%d", i)})
				time.Sleep(300 * time.Millisecond) // a batch
			}
			if grown := rss(p.PID) - before; grown > 96<<20 {
				t.Errorf("the sidecar has grown by %d MiB", grown>>20)
			}
			if code := p.Stop(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if strings.Contains(p.Stderr(), strings.Repeat("r", 40)) || strings.Contains(p.Stderr(), apptest.Token) {
				t.Error("a token is in the log")
			}
		}},
		{"H03", "the environment: proxies, debuggers, libraries", func(t *testing.T, s *stranger) {
			cmd := exec.Command(apptest.Build(t))
			cmd.Env = append(os.Environ(), "HTTP_PROXY=http://127.0.0.1:9001", "HTTPS_PROXY=http://127.0.0.1:9001", "ALL_PROXY=socks5://127.0.0.1:9001", "SSLKEYLOGFILE="+filepath.Join(t.TempDir(), "keys"), "CHROME_LOG_FILE=/tmp/x", "CHROMIUM_FLAGS=--no-sandbox --remote-debugging-port=9222", "CHROME_DEVEL_SANDBOX=", "GODEBUG=http2debug=2", "GOTRACEBACK=crash", "CHROME_WRAPPER=/bin/sh", "GOOGLE_API_KEY=x", "NODE_OPTIONS=--inspect")
			dir := apptest.Workdir(t)
			b, err := json.Marshal(apptest.Config{"token": apptest.Token, "workdir": dir, "port": 0, "lifeline": true, "app_url": s.origin(), "chromium": s.flavour})
			if err != nil {
				t.Fatal(err)
			}
			p := apptest.SpawnCommand(t, cmd, b)
			p.Workdir = dir
			p.AwaitReady(apptest.Token)
			p.MCP.Initialize()
			p.MCP.Must("browser_navigate", apptest.Args{"url": "/head"})
			for _, pid := range familyWith(p.PID, "--user-data-dir") {
				env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
				if line := commandLine(pid) + string(env); strings.Contains(line, "9222") || strings.Contains(line, "--no-sandbox ") || strings.Contains(line, "SSLKEYLOGFILE") || strings.Contains(line, "9001") {
					t.Errorf("process %d: %s", pid, line)
				}
			}
			p.Stop()
		}},
	}
}
