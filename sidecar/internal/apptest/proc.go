package apptest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// process is what /proc says about one process. Where there is no /proc, no
// process is ever found and the checks that need one pass.
type process struct {
	pid, parent int
	state       byte // 'Z' for a zombie
	name        string
	cmdline     string
	environ     string
	cwd         string
	files       []string // targets of the open descriptors
}

func (p process) String() string {
	line := p.cmdline
	if line == "" {
		line = "[" + p.name + "]"
	}
	const shown = 160
	return fmt.Sprintf("%d (state %c, parent %d) %.*s", p.pid, p.state, p.parent, shown, line)
}

// mentions says whether the process has anything to do with a path: in its
// arguments, environment, working directory or open files.
func (p process) mentions(path string) bool {
	for _, text := range append(p.files, p.cmdline, p.environ, p.cwd) {
		for rest := text; ; {
			_, after, found := strings.Cut(rest, path)
			if !found {
				break
			}
			if after == "" || strings.ContainsRune("/ \x00\"';,:", rune(after[0])) {
				return true
			}
			rest = after
		}
	}
	return false
}

// processes lists all processes but this one. Those of which only the name may
// be read are there with their name.
func processes() (all []process) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := filepath.Join("/proc", e.Name())
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // gone meanwhile
		}
		p := process{pid: pid}
		// The name stands in parentheses and may hold any character.
		open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
		if open < 0 || end < open {
			continue
		}
		p.name = string(stat[open+1 : end])
		fields := strings.Fields(string(stat[end+1:]))
		if len(fields) < 2 {
			continue
		}
		p.state = fields[0][0]
		p.parent, _ = strconv.Atoi(fields[1])
		p.cmdline = readWords(filepath.Join(dir, "cmdline"))
		p.environ = readWords(filepath.Join(dir, "environ"))
		p.cwd, _ = os.Readlink(filepath.Join(dir, "cwd"))
		fds, _ := os.ReadDir(filepath.Join(dir, "fd"))
		for _, fd := range fds {
			if to, err := os.Readlink(filepath.Join(dir, "fd", fd.Name())); err == nil {
				p.files = append(p.files, to)
			}
		}
		all = append(all, p)
	}
	return all
}

func readWords(path string) string {
	b, _ := os.ReadFile(path)
	return string(bytes.ReplaceAll(bytes.TrimRight(b, "\x00"), []byte{0}, []byte{' '}))
}

// mentioning lists the processes that have to do with a path.
func mentioning(path string) (found []process) {
	for _, p := range processes() {
		if p.mentions(path) {
			found = append(found, p)
		}
	}
	return found
}

// children lists this process's own children, zombies included.
func children() (found []process) {
	for _, p := range processes() {
		if p.parent == os.Getpid() {
			found = append(found, p)
		}
	}
	return found
}
