//go:build linux

package attack

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// rss is the resident memory of a process in bytes; 0 if it is gone.
func rss(pid int) int {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize()
}

// family is the process and everything below it.
func family(pid int) []int {
	found := []int{pid}
	for i := 0; i < len(found); i++ {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", found[i]))
		for _, task := range tasks {
			b, _ := os.ReadFile(task) // a thread that is gone has none
			for word := range strings.FieldsSeq(string(b)) {
				if n, err := strconv.Atoi(word); err == nil {
					found = append(found, n)
				}
			}
		}
	}
	return found
}

// commandLine is a process's arguments, by spaces.
func commandLine(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.ReplaceAll(string(b), "\x00", " ")
}

// familyWith picks the members of a family whose command line holds all words.
func familyWith(pid int, words ...string) (found []int) {
next:
	for _, p := range family(pid) {
		line := commandLine(p)
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue next
			}
		}
		found = append(found, p)
	}
	return found
}

// sent counts the datagrams that left a process's network namespace since it
// was made: every one that a socket in it has sent, wherever it went.
func sent(pid int) (datagrams int) {
	for _, file := range []struct{ name, word string }{{"snmp", "Udp:"}, {"snmp6", "Udp6OutDatagrams"}} {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, file.name))
		column := -1
		for line := range strings.Lines(string(b)) {
			fields := strings.Fields(line)
			switch {
			case len(fields) == 2 && fields[0] == file.word:
				n, _ := strconv.Atoi(fields[1])
				datagrams += n
			case len(fields) > 2 && fields[0] == file.word && column < 0:
				for i, name := range fields {
					if name == "OutDatagrams" {
						column = i
					}
				}
			case len(fields) > 2 && fields[0] == file.word:
				n, _ := strconv.Atoi(fields[column])
				datagrams += n
			}
		}
	}
	return datagrams
}

// socketsTo counts a process's established connections on a port of its own.
func socketsTo(pid, port int) (n int) {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", pid))
	local := fmt.Sprintf("0100007F:%04X", port)
	for line := range strings.Lines(string(b)) {
		if fields := strings.Fields(line); len(fields) > 3 && fields[1] == local && fields[3] == "01" {
			n++
		}
	}
	return n
}
