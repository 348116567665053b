//go:build linux

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/supervisor/recordings"
)

// leftovers is how long a browser's processes and files may take to be gone
// after the host has ended: nothing may be left, but the kernel needs a moment.
const leftovers = 5 * time.Second

// TestRealOrder is the whole product at its main job: the host, a sidecar and a
// Chromium, an agent that logs in, fills a form in and reads the result; and
// nothing is left.
func TestRealOrder(t *testing.T) {
	bin := buildProduct(t)
	for _, flavour := range []string{"-shell", "-full"} {
		t.Run(flavour, func(t *testing.T) {
			temp := openDir(t)
			var stdout, stderr bytes.Buffer
			host := exec.CommandContext(t.Context(), filepath.Join(bin, "pillion-host"), "-once", flavour, "-out", filepath.Join(bin, "out"))
			host.Env = append(os.Environ(), "TMPDIR="+temp)
			host.Stdout, host.Stderr = &stdout, &stderr
			err := host.Run()
			if err != nil || !strings.HasSuffix(stdout.String(), "\nagent finished: order confirmed\n") {
				t.Fatalf("%v\n%s%s", err, &stdout, &stderr)
			}
			picture, err := os.ReadFile(filepath.Join(bin, "out", screenshotFile))
			if err != nil || !bytes.HasPrefix(picture, []byte("\x89PNG\r\n")) {
				t.Errorf("screenshot: %.8q, %v", picture, err)
			}
			nothingLeft(t, bin, temp)
			recorded(t, filepath.Join(bin, "out", recordingsFile), stdout.String())
			t.Logf("%s", &stdout)
		})
	}
}

// recorded looks at the recording of an order: it is whole, can be found, and has
// no password in it.
func recorded(t *testing.T, file, stdout string) {
	t.Helper()
	store, err := recordings.Open(t.Context(), file, recordings.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	all, err := store.List(t.Context())
	if err != nil || len(all) == 0 || all[0].How != "finished" || !strings.Contains(stdout, "/recordings/"+all[0].ID+"/\n") {
		t.Fatalf("recordings %+v, %v", all, err)
	}
	var events strings.Builder
	if err := store.Archive().WriteTo(t.Context(), all[0].ID, &events); err != nil {
		t.Fatal(err)
	}
	for word, there := range map[string]bool{`"tool":"browser_click"`: true, `"label":"stopping"`: true, `"type":2`: true, "correct horse": false} {
		if strings.Contains(events.String(), word) != there {
			t.Errorf("%s is in the recording: %v, of %d events", word, !there, all[0].Events)
		}
	}
}

// TestRealHostKilled: a host that is killed while its browser runs, and a person
// drives it, can't clean up, and nothing is left all the same.
func TestRealHostKilled(t *testing.T) {
	bin, temp := buildProduct(t), openDir(t)
	host := exec.CommandContext(t.Context(), filepath.Join(bin, "pillion-host"))
	host.Env = append(os.Environ(), "TMPDIR="+temp)
	output, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	live := ""
	for lines := bufio.NewScanner(output); live == "" && lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "watch:"); ok {
			live = strings.TrimSpace(rest)
		}
	}
	watches(t, live)
	host.Process.Kill()
	host.Wait()
	nothingLeft(t, bin, temp)
}

// watches has a person watch and drive the browser through the host, as the page
// does that is served at live.
func watches(t *testing.T, live string) {
	t.Helper()
	origin := strings.TrimSuffix(live, "/live/"+shop+"/")
	ticket := func(mode string) string {
		t.Helper()
		answer, err := http.Post(live+"tickets", "application/json", strings.NewReader(`{"mode":"`+mode+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var got struct{ Ticket string }
		if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || got.Ticket == "" {
			t.Fatalf("a ticket to %s: %s %v", mode, answer.Status, err)
		}
		return got.Ticket
	}
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(live, "http")+"socket", http.Header{"Origin": {origin}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetReadDeadline(time.Now().Add(time.Minute))
	conn.WriteJSON(map[string]string{"type": "auth", "ticket": ticket("view")})
	conn.WriteJSON(map[string]string{"type": "take_control", "ticket": ticket("control")})
	for seen := map[string]bool{}; !seen["ready"] || !seen["frame"] || !seen["control"]; {
		var m struct {
			Type, By string
			Mine     bool
		}
		if err := conn.ReadJSON(&m); err != nil {
			t.Fatalf("seen %v: %v", seen, err)
		}
		if m.Type == "control" && (!m.Mine || m.By != "You") {
			t.Errorf("control: %+v", m)
		}
		seen[m.Type] = true
	}
}

// buildProduct builds the sidecar and the host into a directory. It skips the
// test where they can't run.
func buildProduct(t *testing.T) (bin string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the sidecar and starts Chromium")
	}
	sources, _ := filepath.Glob("../../../sidecar/*.go")
	if len(sources) == 0 {
		t.Skip("there is no sidecar to build")
	}
	bin = openDir(t)
	build(t, filepath.Join(bin, "sidecar"), "../../../sidecar")
	build(t, filepath.Join(bin, "pillion-host"), ".")
	if out, err := exec.Command(filepath.Join(bin, "sidecar"), "check").Output(); err != nil || !bytes.Contains(out, []byte(`"installed":true`)) {
		t.Skipf("there is no Chromium: %s %v", out, err)
	}
	return bin
}

// openDir makes a directory that a browser of another user can enter.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pillion-real-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	return dir
}

func build(t *testing.T, to, pkg string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", to, pkg).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
}

// nothingLeft fails the test when a process runs a file of bin or mentions
// temp, or when temp is not empty.
func nothingLeft(t *testing.T, bin, temp string) {
	t.Helper()
	var found string
	for deadline := time.Now().Add(leftovers); ; time.Sleep(20 * time.Millisecond) {
		found = strings.Join(append(processesOf(bin, temp), filesIn(temp)...), "\n")
		if found == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("left:\n%s", found)
			return
		}
	}
}

func processesOf(bin, temp string) (found []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		exe, _ := os.Readlink(dir + "/exe")
		cmdline, _ := os.ReadFile(dir + "/cmdline")
		environ, _ := os.ReadFile(dir + "/environ")
		if strings.HasPrefix(exe, bin) || bytes.Contains(cmdline, []byte(temp)) || bytes.Contains(environ, []byte(temp)) {
			found = append(found, dir+" "+strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
	return found
}

func filesIn(dir string) (found []string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		found = append(found, filepath.Join(dir, entry.Name()))
	}
	return found
}
