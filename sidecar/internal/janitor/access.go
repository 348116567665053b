package janitor

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pillion-browser/pillion/proto"
)

// admit makes sure that a user can search every directory down to base. The
// work directory itself, when it is ours, is opened for searching; what lies
// above it is not ours to change.
func admit(base string, temporary bool, uid, gid int) error {
	blocked, err := blockedAt(base, uid, gid)
	if err != nil {
		return unusable(base, err)
	}
	if blocked == base && !temporary {
		if info, err := os.Stat(base); err == nil && ownerOf(info) == os.Geteuid() {
			if err := os.Chmod(base, info.Mode().Perm()|0o011); err != nil {
				return unusable(base, err)
			}
			blocked, err = blockedAt(base, uid, gid)
			if err != nil {
				return unusable(base, err)
			}
		}
	}
	if blocked == "" {
		return nil
	}
	return &proto.Error{
		Code:    proto.CodeWorkdirUnusable,
		Message: fmt.Sprintf("Chromium runs as user %d, which can't get into %s on the way to its profile in %s", uid, blocked, base),
		Hint:    fmt.Sprintf("Allow searching it (chmod o+x %s), choose another workdir or TMPDIR, or start the sidecar as an ordinary user", blocked),
	}
}

// blockedAt returns the first directory on the way to dir, dir included, that
// a user without further groups can't search, "" when there is none. It judges
// by mode bits.
func blockedAt(dir string, uid, gid int) (string, error) {
	var way []string
	for d := dir; ; d = filepath.Dir(d) {
		way = append(way, d)
		if d == filepath.Dir(d) {
			break
		}
	}
	for i := len(way) - 1; i >= 0; i-- {
		info, err := os.Stat(way[i])
		if err != nil {
			return "", fmt.Errorf("look at directory: %w", err)
		}
		if !mayEnter(info, uid, gid) {
			return way[i], nil
		}
	}
	return "", nil
}

// mayEnter reports whether the mode bits let a user search a directory.
func mayEnter(info fs.FileInfo, uid, gid int) bool {
	need := fs.FileMode(0o001)
	switch {
	case uid == ownerOf(info):
		need = 0o100
	case gid == groupOf(info):
		need = 0o010
	}
	return info.Mode().Perm()&need != 0
}
