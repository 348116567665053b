package supervisor

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain makes the test binary serve as its own fake sidecar, and fails a run
// that leaves a goroutine or a process.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], fakeFlag) {
		os.Exit(fakeMain(os.Args[1:]))
	}
	code := m.Run()
	for what, left := range map[string]func() string{"goroutines": leftGoroutines, "processes": leftProcesses} {
		if found := settle(left); found != "" {
			fmt.Fprintf(os.Stderr, "%s are left:\n%s\n", what, found)
			code = 1
		}
	}
	os.Exit(code)
}

// settle gives what is on its way out two seconds to get there.
func settle(left func() string) (found string) {
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if found = left(); found == "" || time.Now().After(deadline) {
			return found
		}
	}
}

func leftGoroutines() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var left []string
	for _, stack := range strings.Split(string(stacks), "\n\n")[1:] { // the first is this one
		if strings.Contains(stack, "pillion/supervisor") {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}

// leftProcesses lists processes that run this test binary; "go test" builds it
// in a directory of its own, so there are no others. Linux only.
func leftProcesses() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var left []string
	for _, dir := range dirs {
		exe, err := os.Readlink(dir + "/exe")
		if err == nil && exe == self && filepath.Base(dir) != fmt.Sprint(os.Getpid()) {
			cmdline, _ := os.ReadFile(dir + "/cmdline")
			left = append(left, dir+" "+strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
	return strings.Join(left, "\n")
}
