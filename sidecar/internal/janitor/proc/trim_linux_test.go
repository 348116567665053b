package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestProgramPages(t *testing.T) {
	const untouched, written = "Rss: 8 kB\nAnonymous:             0 kB\nVmFlags: rd\n", "Rss: 8 kB\nAnonymous:             4 kB\nVmFlags: rd\n"
	for _, tt := range []struct {
		name, first, rest string
		ok                bool
	}{
		{"code", "00400000-00d0b000 r-xp 00000000 fe:00 123                                /opt/my app/sidecar", untouched, true},
		{"constants", "00d0b000-0170a000 r--p 0090b000 fe:00 123                                /opt/my app/sidecar", untouched, true},
		{"sealed after it was written", "00d0b000-0170a000 r--p 0090b000 fe:00 123                                /opt/my app/sidecar", written, false},
		{"no account of what was written", "00d0b000-0170a000 r--p 0090b000 fe:00 123                                /opt/my app/sidecar", "Rss: 8 kB\n", false},
		{"variables", "0170a000-017dd000 rw-p 0130a000 fe:00 123                                /opt/my app/sidecar", untouched, false},
		{"shared", "00400000-00d0b000 r-xs 00000000 fe:00 123                                /opt/my app/sidecar", untouched, false},
		{"another file", "00400000-00d0b000 r-xp 00000000 fe:00 123                                /opt/other", untouched, false},
		{"no file", "017dd000-03828000 rw-p 00000000 00:00 0 ", untouched, false},
		{"backwards", "00d0b000-00400000 r-xp 00000000 fe:00 123                                /opt/my app/sidecar", untouched, false},
		{"no numbers", "x-y r-xp 00000000 fe:00 123                                /opt/my app/sidecar", untouched, false},
		{"nothing", "", "", false},
	} {
		// The account of the next mapping is not this one's.
		found := programPages(tt.first+"\n"+tt.rest+"7f0000000000-7f0000001000 r--p 00000000 00:00 0 \nAnonymous: 0 kB\n", "/opt/my app/sidecar")
		if (len(found) == 1) != tt.ok || tt.ok && found[0].from >= found[0].to {
			t.Errorf("%s: %#x", tt.name, found)
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
