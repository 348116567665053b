package httpd

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// leakWait is how long goroutines get to end after the last test: a refused
// upgrade lingers for half a second.
const leakWait = 10 * time.Second

// TestMain fails the run if a goroutine in which our code stands is left over.
func TestMain(m *testing.M) {
	code := m.Run()
	for end := time.Now().Add(leakWait); ; time.Sleep(10 * time.Millisecond) {
		left := leftovers()
		if len(left) == 0 {
			os.Exit(code)
		}
		if time.Now().After(end) {
			fmt.Fprintf(os.Stderr, "goroutines left over:\n%s\n", strings.Join(left, "\n\n"))
			os.Exit(1)
		}
	}
}

func leftovers() []string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var left []string
	for _, stack := range strings.Split(string(stacks), "\n\n")[1:] {
		if strings.Contains(stack, "sidecar/internal/") || strings.Contains(stack, "net/http.(*Server)") || strings.Contains(stack, "net/http.(*conn)") {
			left = append(left, stack)
		}
	}
	return left
}
