package container

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

// patience bounds every wait; it is never the expected time.
const patience = 30 * time.Second

// fakeEngine gives a runner this test's binary for an engine.
func fakeEngine(t *testing.T, r *Runner) *Runner {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	r.Engine, r.EngineArgs, r.Image = os.Args[0], []string{engineFlag + t.TempDir()}, "pillion"
	return r
}

func (r *Runner) noted(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(strings.TrimPrefix(r.EngineArgs[0], engineFlag), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func launch() proto.Launch {
	return proto.Launch{
		AppURL:    "http://127.0.0.1:3000",
		Recording: &proto.Recording{URL: "http://localhost:8080/ingest", Token: proto.NewSecret("aarec_" + strings.Repeat("z", 32))},
	}
}

func TestStart(t *testing.T) {
	for _, test := range []struct {
		name      string
		runner    *Runner
		app       string
		args      []string
		published bool
	}{
		{"on its own network", &Runner{}, "http://host.docker.internal:3000",
			[]string{"--memory=2g", "--pids-limit=1024", "--shm-size=256m", "--add-host=host.docker.internal:host-gateway"}, true},
		{"on this machine's", &Runner{Network: "host"}, "http://127.0.0.1:3000", []string{"--network=host"}, false},
		{"on another one, with other limits", &Runner{Network: "apps", HostName: "gateway", Memory: "1g", PIDs: 99, SHM: "64m", Seccomp: "unconfined", RunArgs: []string{"--cpus=2"}},
			"http://gateway:3000", []string{"--network=apps", "--memory=1g", "--pids-limit=99", "--shm-size=64m", "--security-opt=seccomp=unconfined", "--cpus=2"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := fakeEngine(t, test.runner)
			s := supervisor.Supervisor{Runner: r}
			browser, err := s.Start(context.Background(), launch())
			if err != nil {
				t.Fatal(err)
			}
			var config struct {
				AppURL    string `json:"app_url"`
				Host      string
				Port      int
				Recording struct{ URL string }
			}
			json.Unmarshal([]byte(r.noted(t, "config")), &config)
			calls := r.noted(t, "calls")
			args := strings.Fields(calls)
			for _, want := range append(test.args, "run", "--interactive", "--rm", "--pull=never", "--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges") {
				if !slices.Contains(args, want) {
					t.Errorf("no %s in %s", want, calls)
				}
			}
			if got := args[len(args)-2:]; !slices.Equal(got, []string{"pillion", "serve"}) {
				t.Errorf("ends with %v", got)
			}
			if strings.Contains(calls, browser.MCPToken().Reveal()) {
				t.Error("the token is in the arguments")
			}
			if config.AppURL != test.app || browser.AppURL() != test.app || strings.Contains(config.Recording.URL, "localhost") != (test.runner.Network == "host") {
				t.Errorf("config %+v, app %s", config, browser.AppURL())
			}
			port := strings.TrimSuffix(strings.TrimPrefix(browser.MCPURL(), "http://127.0.0.1:"), "/mcp")
			if publish := "--publish=127.0.0.1:" + port + ":" + port; slices.Contains(args, publish) != test.published ||
				(config.Host == "0.0.0.0") != test.published || test.published && len(r.ports.taken) != 1 {
				t.Errorf("config %+v, arguments %s", config, calls)
			}
			if err := browser.Stop(context.Background()); err != nil {
				t.Error(err)
			}
			name := ""
			for _, arg := range args {
				if n, ok := strings.CutPrefix(arg, "--name="); ok {
					name = n
				}
			}
			if calls := r.noted(t, "calls"); name == "" || !strings.Contains(calls, "rm --force "+name+"\n") {
				t.Errorf("calls %s", calls)
			}
			if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 || len(r.ports.taken) > 0 {
				t.Errorf("left: %v, ports %v", left, r.ports.taken)
			}
		})
	}
}

func TestFailedStartsHoldNoPort(t *testing.T) {
	r := fakeEngine(t, &Runner{})
	r.Engine = "no-such-engine"
	_, err := (&supervisor.Supervisor{Runner: r}).Start(context.Background(), launch())
	if !errors.Is(err, proto.CodeBinaryMissing) || !strings.Contains(err.Error(), "no-such-engine") {
		t.Errorf("got %v", err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		r.ports.mu.Lock()
		held := len(r.ports.taken)
		r.ports.mu.Unlock()
		if held == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the port of a failed start is held")
		}
	}
}

func TestSweep(t *testing.T) {
	r := fakeEngine(t, &Runner{Name: "dashboard"})
	if err := (&supervisor.Supervisor{Runner: r}).Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	want := "ps --all --format={{.Names}} --filter=label=pillion.host=dashboard\nrm --force one two\n"
	if got := r.noted(t, "calls"); got != want {
		t.Errorf("got %s", got)
	}
	r.own = map[string]bool{"two": true} // of this process
	if err := r.Sweep(context.Background()); err != nil || !strings.HasSuffix(r.noted(t, "calls"), "rm --force one\n") {
		t.Errorf("%v, %s", err, r.noted(t, "calls"))
	}
	if err := fakeEngine(t, &Runner{}).Sweep(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestDiagnoseNamesTheImage(t *testing.T) {
	r := fakeEngine(t, &Runner{})
	if got := r.Diagnose(context.Background()); !strings.Contains(got, os.Args[0]) || !strings.Contains(got, "pillion") || !strings.Contains(got, "no such image") {
		t.Errorf("got %s", got)
	}
}

func TestDoctorLooksAtTheEngineFirst(t *testing.T) {
	for name, test := range map[string]struct {
		engine string
		want   string
	}{
		"no engine": {"no-such-engine", "container engine missing"},
		"no image":  {"", "container engine ok, container image missing"},
	} {
		r := fakeEngine(t, &Runner{})
		if test.engine != "" {
			r.Engine = test.engine
		}
		checks, err := (&supervisor.Supervisor{Runner: r}).Doctor(context.Background())
		var got []string
		for _, c := range checks {
			got = append(got, c.Name+" "+c.State)
		}
		if err != nil || strings.Join(got, ", ") != test.want {
			t.Errorf("%s: %v, %v", name, checks, err)
		}
	}
}

func TestThroughHost(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"127.0.0.1:3000": "h:3000", "localhost:80": "h:80", "[::1]:3000": "h:3000", "127.9.9.9:1": "h:1",
		"localhost": "h", "127.0.0.1": "h", "[::1]": "h",
		"10.0.0.1:80": "10.0.0.1:80", "app.example": "app.example", "app.example:80": "app.example:80", "": "",
	} {
		if got := throughHost(addr, "h"); got != want {
			t.Errorf("%q: %q, want %q", addr, got, want)
		}
		if got := throughHost(addr, ""); got != addr {
			t.Errorf("%q with the host's network: %q", addr, got)
		}
	}
}

func TestTheProfileIsTheDocumentedOne(t *testing.T) {
	t.Parallel()
	documented, err := os.ReadFile("../../sidecar/docs/seccomp.json")
	if err != nil || !bytes.Equal(documented, seccompProfile) {
		t.Errorf("copy sidecar/docs/seccomp.json here (%v)", err)
	}
}

func TestEngineEnv(t *testing.T) {
	t.Parallel()
	got := engineEnv([]string{"DOCKER_HOST=unix:///x", "AWS_SECRET=y", "CONTAINER_HOST=z", "MY_DOCKER_=n"})
	if !slices.Equal(got, []string{"DOCKER_HOST=unix:///x", "CONTAINER_HOST=z"}) {
		t.Errorf("got %v", got)
	}
}
