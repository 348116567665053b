package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// TestReadyLine reads it as a host does that knows only its first four keys, and
// then every fact in it. Without a lifeline nothing follows it, and the end of
// stdin means nothing.
func TestReadyLine(t *testing.T) {
	t.Parallel()
	site, trap := apptest.Start(t), apptest.Sniffer(t)
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL() + "/some/path?x", "lifeline": false, "host": "localhost", "viewport": apptest.Config{"width": 1000, "height": 700}})
	line := p.Stdout()[0]
	if keys := keysOf(t, line); !slices.Equal(keys, []string{"ready", "port", "version", "pid", "mcp_url", "chromium", "features"}) {
		t.Errorf("keys %v", keys)
	}
	r := p.Ready
	if r.Version != proto.Version || r.PID != p.PID || r.MCPURL != "http://localhost:"+strconv.Itoa(r.Port)+"/mcp" {
		t.Errorf("%+v", r)
	}
	if info, err := os.Stat(r.Chromium.Path); err != nil || info.Mode()&0o111 == 0 || r.Chromium.Flavour != proto.ChromiumShell && r.Chromium.Flavour != proto.ChromiumFull {
		t.Errorf("chromium %+v: %v", r.Chromium, err)
	}
	if !r.Features.Sandbox || !r.Features.Janitor || r.Features.UnprivilegedUser != (os.Geteuid() == 0) {
		t.Errorf("features %+v", r.Features)
	}
	if res, err := http.Get("http://127.0.0.1:" + strconv.Itoa(r.Port) + "/health"); err != nil || res.StatusCode != http.StatusUnauthorized {
		t.Errorf("health without the token: %v, %v", res, err)
	} else {
		res.Body.Close()
	}

	p.MCP.Initialize()
	if got := resultJSON(p.MCP.Must("browser_evaluate", apptest.Args{"function": "() => [innerWidth, innerHeight, navigator.userAgent].join()"})); !strings.HasPrefix(got, `"1000,700,`) ||
		!strings.Contains(got, "Chrome/"+strings.Split(r.Chromium.Version, ".")[0]+".") {
		t.Errorf("the page sees %s", got)
	}
	// What would be an event line.
	if res := p.MCP.Call("browser_navigate", apptest.Args{"url": "/redirect/302?to=" + url.QueryEscape(trap.URL())}); !res.IsError {
		t.Errorf("a redirect off the app: %s", res.Text)
	}
	if code := p.Stop(); code != 0 || len(p.Stdout()) != 1 {
		t.Errorf("exit code %d, stdout %q", code, p.Stdout())
	}
	if _, err := http.Get(r.MCPURL); err == nil {
		t.Error("the port still answers")
	}
}

// keysOf lists the keys of a JSON object in their order.
func keysOf(t *testing.T, line string) (keys []string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(line))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key.(string))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

// TestSignals stops a session by each of the signals that hosts, terminals and
// service managers send, to the sidecar alone or to everything at once.
func TestSignals(t *testing.T) {
	for name, stop := range map[string]func(t *testing.T, p *apptest.Process){
		"SIGTERM to the group": func(t *testing.T, p *apptest.Process) { p.Stop() },
		"SIGINT":               func(t *testing.T, p *apptest.Process) { p.Signal(syscall.SIGINT) },
		"SIGHUP":               func(t *testing.T, p *apptest.Process) { p.Signal(syscall.SIGHUP) },
		"SIGTERM to every process": func(t *testing.T, p *apptest.Process) {
			browser := tree(t, chromium(t, p.Workdir))
			for pid := range browser {
				signalOne(pid, syscall.SIGTERM)
			}
			p.Signal(syscall.SIGTERM)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := apptest.Sidecar(t, apptest.Config{"app_url": deadApp})
			stop(t, p)
			if code := p.Wait(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			wantEnd(t, p, proto.ReasonSignal, 0, false)
			if strings.Contains(p.Stderr(), "pillion-error") {
				t.Error("a clean end told of an error")
			}
		})
	}
}

// TestEndOfStdin takes the lifeline for what it is.
func TestEndOfStdin(t *testing.T) {
	t.Parallel()
	p := apptest.Sidecar(t, apptest.Config{"app_url": deadApp})
	p.CloseStdin()
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	wantEnd(t, p, proto.ReasonParentGone, 0, false)
}

// TestReadersGone has a parent that reads the ready line and then closes its
// ends of stdout and stderr. What the sidecar has to say after that breaks a
// pipe: it must live on, and end as if nothing were.
func TestReadersGone(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, stdout, stderr := unread(t, 0)
			stdout.Close()
			stderr.Close()
			makeNoise(t, p, 3)
			p.Signal(signal)
			if code := p.Wait(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// TestReadersAsleep has a parent that holds stdout and stderr open and never
// reads: both pipes are full before long. Calls must be answered all the same,
// and the stop must come to its end.
func TestReadersAsleep(t *testing.T) {
	t.Parallel()
	p, stdout, stderr := unread(t, os.Getpagesize())
	defer stdout.Close()
	defer stderr.Close()
	makeNoise(t, p, 60)
	begin := time.Now()
	p.Signal(syscall.SIGTERM)
	if code := p.Wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(begin); took > budget {
		t.Errorf("the stop took %v", took)
	}
}

// budget is the time that a stop may take, with what a loaded machine needs to
// notice its end.
const budget = 8*time.Second + time.Second

// unread starts a sidecar whose stdout and stderr are the test's to read, with
// pipes of so many bytes (0: as usual), and takes the ready line.
func unread(t *testing.T, size int) (p *apptest.Process, stdout, stderr *os.File) {
	t.Helper()
	site, dir := apptest.Start(t), apptest.Workdir(t)
	stdout, outEnd := pipe(t, size)
	stderr, errEnd := pipe(t, size)
	cmd := exec.Command(apptest.Build(t))
	cmd.Stdout, cmd.Stderr = outEnd, errEnd
	p = apptest.SpawnCommand(t, cmd, encode(t, apptest.Config{"app_url": site.URL(), "token": apptest.Token, "workdir": dir, "lifeline": true}))
	p.Workdir = dir
	outEnd.Close()
	errEnd.Close()
	line, err := bufio.NewReaderSize(byByte{stdout}, 16).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	ready, err := proto.DecodeReady(bytes.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	p.MCP = apptest.NewMCP(t, ready.MCPURL, apptest.Token)
	return p, stdout, stderr
}

// byByte reads no further than it is asked to.
type byByte struct{ f *os.File }

func (b byByte) Read(p []byte) (int, error) { return b.f.Read(p[:1]) }

func pipe(t *testing.T, size int) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if size > 0 {
		if _, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, size); err != nil {
			t.Fatal(err)
		}
	}
	return r, w
}

// makeNoise makes the sidecar log and tell of so many refusals.
func makeNoise(t *testing.T, p *apptest.Process, n int) {
	t.Helper()
	p.MCP.Initialize()
	p.MCP.Must("browser_navigate", apptest.Args{"url": "/lab"})
	for i := range n {
		to := url.QueryEscape("http://127.0.0.1:9/" + strconv.Itoa(i))
		if r := p.MCP.Call("browser_navigate", apptest.Args{"url": "/redirect/302?to=" + to}); !strings.Contains(r.Text, "outside the sandbox app") {
			t.Fatalf("redirect off the app: %s", r.Text)
		}
	}
}

// TestSecretsStayInside looks for the tokens where others could read them: the
// arguments and the environment of every process, the log, and stdout.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	site := apptest.Start(t)
	const recordingToken = "aarec_0123456789abcdefghijkmnopqrstuvwxyz"
	p := apptest.Sidecar(t, apptest.Config{"app_url": site.URL(), "recording": apptest.Config{"url": site.URL() + "/ingest", "token": recordingToken}})
	p.MCP.Initialize()
	// A token that an agent sends somewhere is in addresses, errors and logs.
	p.MCP.Call("browser_navigate", apptest.Args{"url": "/redirect/302?to=" + url.QueryEscape("http://127.0.0.1:9/"+apptest.Token)})
	p.MCP.Call("browser_navigate", apptest.Args{"url": "/broken/reset?" + apptest.Token + recordingToken})
	places := map[string]string{}
	for pid := range tree(t, p.PID) {
		for _, name := range []string{"cmdline", "environ", "comm"} {
			file := filepath.Join("/proc", strconv.Itoa(pid), name)
			if b, err := os.ReadFile(file); err == nil {
				places[file] = string(b)
			}
		}
	}
	if len(places) < 3*4 {
		t.Errorf("only %d files of /proc: %v", len(places), places)
	}
	if code := p.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	places["stdout"], places["stderr"] = strings.Join(p.Stdout(), "\n"), p.Stderr()
	for place, text := range places {
		for _, secret := range []string{apptest.Token, recordingToken, apptest.Token[6:30], recordingToken[6:30]} {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds a token: %q", place, text)
			}
		}
	}
}
