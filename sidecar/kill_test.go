package main_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/supervisor"
)

// hostMarker makes the test binary play a host: it starts a sidecar through the
// supervisor, prints its endpoints, and lives until it is killed.
const hostMarker = "PILLION_TEST_HOST"

func hostMain() int {
	s := supervisor.Supervisor{Command: os.Getenv("PILLION_TEST_HOST_SIDECAR")}
	b, err := s.Start(context.Background(), proto.Launch{
		AppURL: os.Getenv("PILLION_TEST_HOST_APP"), Workdir: os.Getenv("PILLION_TEST_HOST_WORKDIR"),
		Token: proto.NewSecret(apptest.Token), Live: &proto.Live{SessionID: liveSession, Origins: []string{liveOrigin}},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(b.MCPURL(), b.LiveURL())
	if err := b.Wait(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return 0
}

// TestKillAnything kills host, sidecar and Chromium in turn, at random moments of
// the start, of work and of the stop, half of them with a Chromium that hangs.
// Within the leak check's few seconds no process, no port and no file may be left.
func TestKillAnything(t *testing.T) {
	n := times(9, 40, 100)
	latest := 1800 * time.Millisecond // a start takes some 600 ms, the work as long as it gets
	if soaking() {
		latest = 3 * time.Second
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	site := apptest.Start(t)
	binary := apptest.Build(t)
	var leaks, hung atomic.Int32
	t.Cleanup(func() { sum(t, "%d kills, %d of them with a hung Chromium, %d leaks", n, hung.Load(), leaks.Load()) })
	for i := range n {
		k := killing{victim: []string{"host", "sidecar", "chromium"}[i%3]}
		k.after = time.Duration(rnd.Int64N(int64(latest)))
		if rnd.IntN(4) == 0 { // in the middle of a stop, which takes some 200 ms
			k.stopping = time.Duration(1 + rnd.Int64N(int64(250*time.Millisecond)))
		}
		// Nothing of a hung Chromium sees that its parent is gone.
		k.hung = rnd.IntN(2) == 0
		t.Run(fmt.Sprintf("%d %v", i, k), func(t *testing.T) {
			t.Parallel()
			k.once(t, site, binary)
			if k.hung {
				hung.Add(1)
			}
			if t.Failed() {
				leaks.Add(1)
			}
		})
	}
}

// killing is one case of the test.
type killing struct {
	victim   string
	after    time.Duration // of the host's start
	stopping time.Duration // for how long a stop has been under way; 0: there is none
	hung     bool          // Chromium does not run any more
}

func (k killing) String() string {
	text := fmt.Sprintf("kill %s after %v", k.victim, k.after.Round(time.Millisecond))
	if k.stopping > 0 {
		text += fmt.Sprintf(" and %v of stopping", k.stopping.Round(time.Millisecond))
	}
	if k.hung {
		text += " with a hung Chromium"
	}
	return text
}

func (k killing) once(t *testing.T, site *apptest.Site, binary string) {
	dir := apptest.Workdir(t)
	host := exec.Command(os.Args[0])
	host.Env = append(os.Environ(), hostMarker+"=1", "PILLION_TEST_HOST_SIDECAR="+binary,
		"PILLION_TEST_HOST_APP="+site.URL(), "PILLION_TEST_HOST_WORKDIR="+dir)
	var log strings.Builder // read after Wait
	host.Stderr = &log
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	due := time.After(k.after)
	urls := make(chan []string, 1)
	done := make(chan struct{})
	go func() { // the host's output ends with it
		defer close(done)
		if s := bufio.NewScanner(out); s.Scan() {
			urls <- strings.Fields(s.Text())
			for s.Scan() {
			}
		}
	}()
	work := make(chan struct{})
	go func() {
		defer close(work)
		select {
		case u := <-urls:
			var watching sync.WaitGroup
			watching.Go(func() { watch(u[1]) })
			drive(u[0])
			watching.Wait()
		case <-done:
		}
	}()
	<-due
	if k.stopping > 0 {
		for _, pid := range children(host.Process.Pid) {
			signalOne(pid, syscall.SIGTERM)
		}
		time.Sleep(k.stopping)
	}
	if k.hung {
		for _, pid := range mentioning(filepath.Join(dir, "profile-")) {
			signalOne(pid, syscall.SIGSTOP)
		}
	}
	sidecars := children(host.Process.Pid)
	switch k.victim {
	case "host":
		host.Process.Kill()
	case "sidecar":
		for _, pid := range children(host.Process.Pid) {
			signalOne(pid, syscall.SIGKILL)
		}
	case "chromium":
		all := mentioning(filepath.Join(dir, "profile-"))
		for _, pid := range all {
			signalOne(pid, syscall.SIGKILL)
		}
		if len(all) == 0 { // too early: nobody would end
			host.Process.Kill()
		}
	}
	// What was killed takes the rest along, except that a host whose sidecar was
	// not there yet goes on; and one whose Chromium was not.
	ended := make(chan struct{})
	go func() { host.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(apptest.LeakGrace):
		host.Process.Kill()
		<-ended
	}
	<-done
	<-work
	if k.hung { // a sidecar whose host is gone gives its Chromium a few seconds to end in order
		apptest.Await(t, "the sidecar's end", func() bool {
			return !slices.ContainsFunc(sidecars, func(pid int) bool { return syscall.Kill(pid, 0) == nil })
		})
	}
	apptest.LeakCheck(t, dir)
	if t.Failed() {
		t.Logf("the host's log:\n%s", log.String())
	}
}

// caller calls a sidecar that may be gone at any moment.
type caller struct{ url, session string }

// post sends a message; ok says that there was an answer, whatever it says.
func (c *caller) post(body string) (answer string, ok bool) {
	req, err := http.NewRequest(http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return "", false
	}
	req.Header.Set("Authorization", "Bearer "+apptest.Token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Mcp-Session-Id", c.session)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return "", false
	}
	defer res.Body.Close()
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	b, err := io.ReadAll(res.Body)
	return string(b), err == nil
}

// call calls a tool.
func (c *caller) call(tool, args string) (answer string, ok bool) {
	return c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args))
}

// drive uses the browser until it is gone: every call may be the one that is cut
// off, so what comes back does not matter.
func drive(url string) {
	c := &caller{url: url}
	_, ok := c.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"drive","version":"1"}}}`)
	paths := []string{"/login", "/frames", "/popups?auto=3", "/mutate", "/form"}
	for i := 0; ok; i++ {
		if _, ok = c.call("browser_navigate", fmt.Sprintf(`{"url":%q}`, paths[i%len(paths)])); ok {
			_, ok = c.call("browser_take_screenshot", `{}`)
		}
	}
}

// watch looks at the browser until it is gone: pictures flow as long as it works.
func watch(url string) {
	conn, _, err := websocket.DefaultDialer.Dial(url, http.Header{"Origin": {liveOrigin}})
	if err != nil {
		return
	}
	defer conn.Close()
	ticket, err := proto.SignTicket(proto.NewSecret(apptest.Token), proto.NewClaims(liveSession, proto.TicketView, "1", "Ada", time.Now()))
	if err == nil {
		err = conn.WriteJSON(map[string]string{"type": "auth", "ticket": ticket})
	}
	for err == nil {
		_, _, err = conn.ReadMessage()
	}
}

// children are the processes that pid started, the janitor's and Chromium's
// excepted: those are the sidecar's.
func children(pid int) []int {
	var found []int
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		b, err := os.ReadFile(task)
		if err != nil {
			continue // the thread is gone
		}
		for f := range strings.FieldsSeq(string(b)) {
			if n, err := strconv.Atoi(f); err == nil && !slices.Contains(found, n) {
				found = append(found, n)
			}
		}
	}
	return found
}

// mentioning are the processes with text in their command line.
func mentioning(text string) []int {
	var found []int
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(b), text) {
			if n, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
				found = append(found, n)
			}
		}
	}
	return found
}

// signalOne ignores that the process may be gone by now.
func signalOne(pid int, sig syscall.Signal) { _ = syscall.Kill(pid, sig) }
