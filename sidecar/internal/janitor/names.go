package janitor

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
)

// What the names of a session's directories begin with.
const (
	rootPrefix    = "activeagents-browser-"
	profilePrefix = "profile-"
	uploadsPrefix = "uploads-"
	outputPrefix  = "output-"
)

// deadSuffix marks what a sweep has judged dead and is removing.
const deadSuffix = ".dead"

const (
	letters     = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	nameLetters = 6
)

// freshName returns prefix with six random letters such that nothing in dir
// has that name: the survivor may remove it from now on.
func freshName(dir, prefix string) string {
	for {
		var name [nameLetters]byte
		rand.Read(name[:]) // never fails
		for i, b := range name {
			name[i] = letters[int(b)%len(letters)]
		}
		fresh := prefix + string(name[:])
		if _, err := os.Lstat(filepath.Join(dir, fresh)); err != nil {
			return fresh
		}
	}
}

// isName reports whether name is prefix and six letters.
func isName(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	return ok && len(rest) == nameLetters && strings.Trim(rest, letters) == ""
}
