package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestProgramPages(t *testing.T) {
	for _, tt := range []struct {
		line string
		ok   bool
	}{
		{"00400000-00d0b000 r-xp 00000000 fe:00 123                                /opt/my app/sidecar", true},
		{"00d0b000-0170a000 r--p 0090b000 fe:00 123                                /opt/my app/sidecar", true},
		{"0170a000-017dd000 rw-p 0130a000 fe:00 123                                /opt/my app/sidecar", false},
		{"00400000-00d0b000 r-xs 00000000 fe:00 123                                /opt/my app/sidecar", false},
		{"00400000-00d0b000 r-xp 00000000 fe:00 123                                /opt/other", false},
		{"017dd000-03828000 rw-p 00000000 00:00 0 ", false},
		{"00d0b000-00400000 r-xp 00000000 fe:00 123                                /opt/my app/sidecar", false},
		{"x-y r-xp 00000000 fe:00 123                                /opt/my app/sidecar", false},
		{"", false},
	} {
		if from, to, ok := programPages(tt.line, "/opt/my app/sidecar"); ok != tt.ok || ok && from >= to {
			t.Errorf("%q: %#x %#x %t", tt.line, from, to, ok)
		}
	}
}

// TestTrim has the kernel's own count of the pages of files that are resident.
func TestTrim(t *testing.T) {
	before := residentFile(t)
	Trim()
	after := residentFile(t)
	if after > before*3/4 {
		t.Errorf("%d KiB of files before and %d after", before, after)
	}
}

func residentFile(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(filepath.Join(root, "self", "status"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(status), "RssFile:")
	n, err := strconv.Atoi(strings.Fields(rest + " x")[0])
	if !found || err != nil {
		t.Fatalf("no RssFile: %v", err)
	}
	return n
}
