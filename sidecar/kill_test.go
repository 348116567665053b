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
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/supervisor"
)

// hostMarker makes the test binary play a host: it starts a sidecar through the
// supervisor, prints its endpoint, and lives until it is killed.
const hostMarker = "PILLION_TEST_HOST"

func hostMain() int {
	s := supervisor.Supervisor{Command: os.Getenv("PILLION_TEST_HOST_SIDECAR")}
	b, err := s.Start(context.Background(), proto.Launch{
		AppURL: os.Getenv("PILLION_TEST_HOST_APP"), Workdir: os.Getenv("PILLION_TEST_HOST_WORKDIR"),
		Token: proto.NewSecret(apptest.Token),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(b.MCPURL())
	if err := b.Wait(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return 0
}

// kills is how often the test kills; PILLION_KILLS raises it for a soak. With
// -short each victim dies a few times.
const (
	kills      = 40
	shortKills = 9
)

// TestKillAnything kills host, sidecar and Chromium in turn, at random moments of
// the start, of work and of the stop. Within the leak check's few seconds no
// process, no port and no file may be left.
func TestKillAnything(t *testing.T) {
	n := kills
	if testing.Short() {
		n = shortKills
	}
	if s := os.Getenv("PILLION_KILLS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	site := apptest.Start(t)
	binary := apptest.Build(t)
	for i := range n {
		victim := []string{"host", "sidecar", "chromium"}[i%3]
		// A start takes some 600 ms, the work as long as it gets.
		delay := time.Duration(rnd.Int64N(int64(1800 * time.Millisecond)))
		stop := rnd.IntN(4) == 0 // in the middle of a stop
		name := fmt.Sprintf("%d kill %s after %v", i, victim, delay.Round(time.Millisecond))
		if stop {
			name += " while stopping"
		}
		t.Run(name, func(t *testing.T) { killOnce(t, site, binary, victim, delay, stop) })
	}
}

func killOnce(t *testing.T, site *apptest.Site, binary, victim string, delay time.Duration, stop bool) {
	dir := apptest.Workdir(t)
	host := exec.Command(os.Args[0])
	host.Env = append(os.Environ(), hostMarker+"=1", "PILLION_TEST_HOST_SIDECAR="+binary,
		"PILLION_TEST_HOST_APP="+site.URL(), "PILLION_TEST_HOST_WORKDIR="+dir)
	host.Stderr = os.Stderr
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	due := time.After(delay)
	url := make(chan string, 1)
	done := make(chan struct{})
	go func() { // the host's output ends with it
		defer close(done)
		if s := bufio.NewScanner(out); s.Scan() {
			url <- s.Text()
			for s.Scan() {
			}
		}
	}()
	work := make(chan struct{})
	go func() {
		defer close(work)
		select {
		case u := <-url:
			drive(u)
		case <-done:
		}
	}()
	<-due
	if stop {
		for _, pid := range children(host.Process.Pid) {
			signalOne(pid, syscall.SIGTERM)
		}
	}
	switch victim {
	case "host":
		host.Process.Kill()
	case "sidecar":
		for _, pid := range children(host.Process.Pid) {
			signalOne(pid, syscall.SIGKILL)
		}
	case "chromium":
		for _, pid := range mentioning(filepath.Join(dir, "profile-")) {
			signalOne(pid, syscall.SIGKILL)
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
	apptest.LeakCheck(t, dir)
}

// drive uses the browser until it is gone: every call may be the one that is cut
// off, so what comes back does not matter.
func drive(url string) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	session := ""
	post := func(body string) bool {
		req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			return false
		}
		req.Header.Set("Authorization", "Bearer "+apptest.Token)
		req.Header.Set("Mcp-Session-Id", session)
		res, err := client.Do(req)
		if err != nil {
			return false
		}
		defer res.Body.Close()
		if id := res.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
		_, err = io.Copy(io.Discard, res.Body)
		return err == nil
	}
	ok := post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"drive","version":"1"}}}`)
	paths := []string{"/login", "/frames", "/popups?auto=3", "/mutate", "/form"}
	for i := 0; ok; i++ {
		ok = post(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_navigate","arguments":{"url":%q}}}`, paths[i%len(paths)])) &&
			post(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"browser_take_screenshot","arguments":{}}}`)
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
