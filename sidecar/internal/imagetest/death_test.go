//go:build linux

package imagetest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// markEnv tells the container under test from all others in the process table.
const markEnv = "PILLION_TEST_MARK"

// TestImageDiesWhole kills the sidecar in the container by force, and Chromium.
// Either way the container ends, with every process in it.
func TestImageDiesWhole(t *testing.T) {
	needImage(t)
	for _, victim := range []string{"sidecar", "chromium"} {
		t.Run(victim, func(t *testing.T) {
			site := apptest.Start(t)
			mark := markEnv + "=" + rand.Text()
			p := start(t, "-e "+mark, site.URL())
			p.MCP.Initialize()
			p.MCP.Must("browser_navigate", apptest.Args{"url": "/login"})

			inside := container(mark)
			if len(inside) == 0 {
				t.Skip("the container's processes can't be seen from here")
			}
			pid := inside.named(victim)
			if pid == 0 {
				t.Fatalf("no %s in %v", victim, inside)
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			apptest.Await(t, "the container's end", func() bool { return len(inside.living()) == 0 })
			p.Wait()
			conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", p.Ready.Port), time.Second)
			if err == nil {
				conn.Close()
			}
			if !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("the port after the end: %v", err)
			}
		})
	}
}

// crowd is the processes of one container: their ids here, with their command
// lines.
type crowd map[int]string

// container finds the container of a process with mark in its environment.
func container(mark string) crowd {
	var namespace string
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range list {
		if b, err := os.ReadFile(file); err == nil && strings.Contains("\x00"+string(b), "\x00"+mark+"\x00") {
			ns, err := os.Readlink(filepath.Join(filepath.Dir(file), "ns", "pid"))
			if own, _ := os.Readlink("/proc/self/ns/pid"); err == nil && ns != own {
				namespace = ns
				break
			}
		}
	}
	all := crowd{}
	if namespace == "" {
		return all
	}
	list, _ = filepath.Glob("/proc/[0-9]*/ns/pid")
	for _, link := range list {
		// Renderers have a namespace of their own below the container's, and
		// die with it.
		if ns, err := os.Readlink(link); err != nil || ns != namespace {
			continue
		}
		dir := filepath.Dir(filepath.Dir(link))
		pid, _ := strconv.Atoi(filepath.Base(dir))
		b, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		all[pid] = strings.TrimSpace(strings.ReplaceAll(string(b), "\x00", " "))
	}
	return all
}

// named finds the main process of a program.
func (c crowd) named(program string) (lowest int) {
	for pid, line := range c {
		name, args, _ := strings.Cut(line, " ")
		if !strings.Contains(filepath.Base(name), program) || strings.Contains(args, "--type=") {
			continue
		}
		if lowest == 0 || pid < lowest {
			lowest = pid // the survivor has the sidecar's name and comes later
		}
	}
	return lowest
}

// living lists what is still there.
func (c crowd) living() (left []int) {
	for pid := range c {
		if syscall.Kill(pid, 0) == nil {
			left = append(left, pid)
		}
	}
	return left
}
