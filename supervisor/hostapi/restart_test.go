package hostapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

const (
	// doomedFlag makes the test binary a host in the directory after it, with a browser
	// for its one sandbox.
	doomedFlag = "-doomed-host="

	// lingerFlag makes it that host's sidecar: one that hangs, and so sees no end of its
	// lifeline.
	lingerFlag = "-lingering-sidecar="
)

// hostIn are the options of the host of a directory, each time that it is started.
func hostIn(dir string) (hostapi.Options, error) {
	journal, err := hostapi.OpenFileJournal(filepath.Join(dir, "journal"))
	sandboxes := &hostapi.MemorySandboxes{}
	sandboxes.Put(hostapi.Sandbox{ID: "s1", Owner: owner, Ready: true, AppURL: "http://127.0.0.1:3000"})
	return hostapi.Options{
		Supervisor: &supervisor.Supervisor{Runner: &supervisor.ExecRunner{Command: os.Args[0], Args: []string{lingerFlag + dir}, Name: dir}},
		Journal:    journal, Sandboxes: sandboxes,
	}, err
}

func doomedMain(dir string) int {
	o, err := hostIn(dir)
	if err != nil {
		return 1
	}
	host, err := hostapi.New(o)
	if err != nil {
		return 1
	}
	shown, err := host.Start(context.Background(), hostapi.Identity{Owner: owner}, "s1", hostapi.StartOptions{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(*shown.ServerKey)
	select {}
}

func lingerMain(dir string) int {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	unlock, err := lock(filepath.Join(dir, "s1"+lockSuffix))
	if err != nil {
		os.WriteFile(filepath.Join(dir, "s1"+clashSuffix), nil, 0o600)
		return strayExit
	}
	defer unlock()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return strayExit
	}
	defer l.Close()
	fmt.Printf(`{"ready":true,"port":%d,"version":%q,"pid":%d}`+"\n", l.Addr().(*net.TCPAddr).Port, proto.Version, os.Getpid())
	stop := make(chan struct{})
	go func() { // as a sidecar does, but for the end of its input
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			if strings.Contains(lines.Text(), `"`+proto.CommandStop+`"`) {
				farewell(proto.ReasonCommand)
				close(stop)
				return
			}
		}
	}()
	select {
	case <-told:
	case <-stop:
	}
	return 0
}

// A host that was killed and comes back ends the browser that outlived it, before the
// sandbox gets another, and tells its minutes once, whatever else is in its journal.
func TestAHostComesBack(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are known by their environment on Linux alone")
	}
	t.Parallel()
	dir := t.TempDir()
	doomed := exec.Command(os.Args[0], doomedFlag+dir)
	out, err := doomed.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := doomed.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	doomed.Process.Kill()
	io.Copy(io.Discard, out)
	doomed.Wait()
	session, started := strings.CutPrefix(strings.TrimSpace(line), "browser:")
	if err != nil || !started {
		t.Fatalf("the first host: %q, %v", line, err)
	}
	torn := filepath.Join(dir, "journal", "torn.json")
	os.WriteFile(torn, []byte(`{"session":"to`), 0o600)

	b := newBench(t, func(b *bench, o *hostapi.Options) {
		again, err := hostIn(dir)
		if err != nil {
			t.Fatal(err)
		}
		o.Supervisor, o.Journal, o.Sandboxes, o.Clock = again.Supervisor, again.Journal, again.Sandboxes, nil
	})
	for range 2 { // the second time with a browser of its own
		if err := b.host.Recover(context.Background()); err == nil || !strings.Contains(err.Error(), "torn.json") {
			t.Errorf("a torn entry: %v", err)
		}
		want := []hostapi.Usage{{Owner: owner, Kind: hostapi.BrowserMinutes, Quantity: 1, Sandbox: "s1", Session: session}}
		if d := cmp.Diff(want, b.meter.all()); d != "" {
			t.Error(d)
		}
		if got := b.do("POST", browserPath, ""); got.status != 201 && got.code() != string(proto.CodeBrowserExists) {
			t.Errorf("start: %d %s", got.status, got.text)
		}
		if got := b.do("GET", browserPath, "").browser()["status"]; got != "running" {
			t.Errorf("the second browser: %v", got)
		}
	}
	if b.tape.String() != "complete s1, open s1" {
		t.Errorf("recordings: %s", b.tape)
	}
	if _, err := os.Stat(filepath.Join(dir, "s1"+clashSuffix)); err == nil {
		t.Error("the sandbox had two browsers")
	}
	if _, err := os.Stat(torn); err != nil {
		t.Errorf("what can't be read is gone: %v", err)
	}
}
