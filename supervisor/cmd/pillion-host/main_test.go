package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// fakeFlag makes the test binary a fake sidecar.
const fakeFlag = "-fake-sidecar"

// TestMain fails a run that leaves a goroutine of this program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == fakeFlag {
		os.Exit(fakeSidecar())
	}
	code := m.Run()
	deadline := time.Now().Add(2 * time.Second)
	for leftGoroutines() != "" && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	if left := leftGoroutines(); left != "" {
		fmt.Fprintln(os.Stderr, "goroutines are left:\n"+left)
		code = 1
	}
	os.Exit(code)
}

func leftGoroutines() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var left []string
	for _, stack := range strings.Split(string(stacks), "\n\n")[1:] {
		if strings.Contains(stack, "pillion/supervisor") || strings.Contains(stack, "pillion/testdata") {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}

// fakeCommand is a program that runs this test binary as a fake sidecar: the
// host passes neither arguments nor unlisted variables on.
func fakeCommand(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script")
	}
	script := filepath.Join(t.TempDir(), "sidecar")
	text := fmt.Sprintf("#!/bin/sh\nexec '%s' %s \"$@\"\n", os.Args[0], fakeFlag)
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return script
}
