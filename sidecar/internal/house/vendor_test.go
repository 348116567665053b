package house

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"testing"
)

// TestFilesOfOthersAreThoseThatWereLookedAt: each stands in a VENDOR file beside it
// with its digest, and has its licence with it.
func TestFilesOfOthersAreThoseThatWereLookedAt(t *testing.T) {
	lists := 0
	for _, list := range files(t, "") {
		if path.Base(list) != "VENDOR" {
			continue
		}
		lists++
		dir := path.Dir(list)
		listed := map[string]bool{"VENDOR": true}
		for line := range strings.Lines(read(t, list)) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			fields := strings.Split(strings.TrimSpace(line), " | ")
			if len(fields) != 4 || !strings.Contains(fields[1], "@") {
				t.Errorf("%s: a line that says too little: %s", list, line)
				continue
			}
			if sum := sha256.Sum256([]byte(read(t, dir+"/"+fields[0]))); hex.EncodeToString(sum[:]) != fields[3] {
				t.Errorf("%s/%s is not %s of %s", dir, fields[0], fields[2], fields[1])
			}
			listed[fields[0]] = true
		}
		for _, name := range entries(t, dir) {
			if !listed[name] {
				t.Errorf("%s/%s comes from nowhere", dir, name)
			}
		}
		if !strings.HasPrefix(read(t, dir+"/LICENSE"), "MIT License") {
			t.Errorf("%s has no licence", dir)
		}
	}
	if lists < 2 {
		t.Errorf("%d lists of files of others", lists)
	}
}
