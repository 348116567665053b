package supervisor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// instance is one process, and not another one that got its number later.
type instance struct {
	pid   int
	start string // in clock ticks since the system's start
}

// hostMark marks a sidecar as this process's: the host's name, and which process of
// it that is.
func hostMark(name string) []string {
	self, alive := instanceOf(os.Getpid())
	if name == "" || !alive {
		return nil
	}
	return []string{fmt.Sprintf("%s=%d-%s-%s", markVariable, self.pid, self.start, name)}
}

// instanceOf reads a process of the table; alive is false for one that is not there,
// or dead and not waited for.
func instanceOf(pid int) (p instance, alive bool) {
	const state, start = 0, 19 // of the fields after the name, which may hold anything
	row, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	fields := strings.Fields(string(row[bytes.LastIndexByte(row, ')')+1:]))
	if err != nil || len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return instance{}, false
	}
	return instance{pid, fields[start]}, true
}

func (p instance) alive() bool {
	now, alive := instanceOf(p.pid)
	return alive && now == p
}

// signal reaches the whole process group. That it has none any more is no failure.
func (p instance) signal(s syscall.Signal) error {
	if !p.alive() {
		return nil
	}
	if err := syscall.Kill(-p.pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal process group %d: %w", p.pid, err)
	}
	return nil
}

// orphans are the sidecars of hosts of that name whose process has died. Each leads a
// group of its own; what else carries the mark is a part of its group.
func orphans(name string) ([]instance, error) {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("read the process table: %w", err)
	}
	var found []instance
	for _, dir := range dirs {
		pid, err := strconv.Atoi(dir.Name())
		if err != nil {
			continue
		}
		p, alive := instanceOf(pid)
		if !alive {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", dir.Name(), "environ"))
		if err != nil {
			continue // another user's, or gone
		}
		host, marked := hostOf(environ, name)
		if group, err := syscall.Getpgid(pid); marked && err == nil && group == pid && !host.alive() && p.alive() {
			found = append(found, p)
		}
	}
	return found, nil
}

// hostOf finds the mark of a host of that name in an environment.
func hostOf(environ []byte, name string) (host instance, marked bool) {
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		mark, ok := bytes.CutPrefix(entry, []byte(markVariable+"="))
		if !ok {
			continue
		}
		parts := strings.SplitN(string(mark), "-", 3)
		if len(parts) != 3 || parts[2] != name {
			continue
		}
		if pid, err := strconv.Atoi(parts[0]); err == nil {
			return instance{pid, parts[1]}, true
		}
	}
	return instance{}, false
}

// sweep ends them: with a signal, and after the grace by force.
func sweep(ctx context.Context, name string, grace time.Duration) error {
	left, err := orphans(name)
	failed := []error{err}
	for _, p := range left {
		failed = append(failed, p.signal(syscall.SIGTERM))
	}
	if !awaitGone(ctx, left, grace) {
		for _, p := range left {
			failed = append(failed, p.signal(syscall.SIGKILL))
		}
		awaitGone(ctx, left, grace)
	}
	for _, p := range left {
		if p.alive() {
			failed = append(failed, fmt.Errorf("the sidecar with process id %d does not end", p.pid))
		}
	}
	return errors.Join(failed...)
}

// awaitGone waits for all to be gone, for so long.
func awaitGone(ctx context.Context, all []instance, limit time.Duration) bool {
	end := time.NewTimer(limit)
	defer end.Stop()
	look := time.NewTicker(sweepEvery)
	defer look.Stop()
	for {
		gone := true
		for _, p := range all {
			gone = gone && !p.alive()
		}
		if gone {
			return true
		}
		select {
		case <-look.C:
		case <-end.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}
