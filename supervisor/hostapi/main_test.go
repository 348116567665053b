package hostapi_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// roles are what the test binary plays when it is started with a flag, in the
// directory that stands behind it.
func roles() map[string]func(dir string) int {
	return map[string]func(string) int{strayFlag: strayMain, scribeFlag: scribeMain, doomedFlag: doomedMain, lingerFlag: lingerMain}
}

// TestMain makes the test binary serve as its own fake sidecar, and fails a run
// that leaves a goroutine of this module.
func TestMain(m *testing.M) {
	for flag, play := range roles() {
		if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], flag) {
			os.Exit(play(strings.TrimPrefix(os.Args[1], flag)))
		}
	}
	code := m.Run()
	for what, look := range map[string]func() string{"goroutines": leftGoroutines, "processes": leftProcesses} {
		left := look()
		for deadline := time.Now().Add(2 * time.Second); left != "" && time.Now().Before(deadline); left = look() {
			time.Sleep(5 * time.Millisecond)
		}
		if left != "" {
			fmt.Fprintf(os.Stderr, "%s are left:\n%s\n", what, left)
			code = 1
		}
	}
	os.Exit(code)
}

// leftProcesses lists processes that run this test binary. Linux only.
func leftProcesses() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var left []string
	for _, dir := range dirs {
		if exe, err := os.Readlink(dir + "/exe"); err == nil && exe == self && filepath.Base(dir) != fmt.Sprint(os.Getpid()) {
			left = append(left, dir)
		}
	}
	return strings.Join(left, "\n")
}

func leftGoroutines() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var left []string
	for _, stack := range strings.Split(string(stacks), "\n\n")[1:] {
		if strings.Contains(stack, "pillion/supervisor") {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}
