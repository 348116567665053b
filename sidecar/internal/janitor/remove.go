package janitor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
)

// removeAll removes dirs, and root last if it is ours, with retries until ctx
// ends.
func removeAll(ctx context.Context, own bool, root string, dirs ...string) error {
	if own {
		dirs = append(dirs, root)
	}
	for {
		var err error
		for _, dir := range dirs {
			// On a read-only file system even what is not there can't be removed.
			if e := os.RemoveAll(dir); e != nil && !absent(dir) {
				err = errors.Join(err, fmt.Errorf("remove directory: %w", e))
				smooth(ctx, dir, e)
			}
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(removeEvery):
		}
	}
}

// removeIn removes one tree in root, as [removeAll] does.
func removeIn(ctx context.Context, root *os.Root, name string) error {
	err := root.RemoveAll(name)
	if err == nil {
		return nil
	}
	if tree, e := root.OpenRoot(name); e == nil {
		smoothIn(ctx, tree, err)
		tree.Close()
		err = root.RemoveAll(name)
	}
	return err
}

// smooth makes a directory removable, after it could not be removed for why. What
// can't be done shows at the next try.
func smooth(ctx context.Context, dir string, why error) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		_ = os.Chmod(dir, 0o700) // the next try opens it
		return
	}
	defer root.Close()
	smoothIn(ctx, root, why)
}

// maxDepth is how deep a directory may lie before it is moved up: Go's removal
// holds a descriptor for each level, and a process may have few.
const maxDepth = 64

// smoothIn opens directories that may not be written to, which whoever put files
// here may have left, and moves up those that lie too deep.
func smoothIn(ctx context.Context, root *os.Root, why error) {
	switch {
	case errors.Is(why, fs.ErrPermission):
		_ = root.Chmod(".", 0o700)
		_ = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return fs.SkipAll
			}
			if d != nil && d.IsDir() {
				_ = root.Chmod(name, 0o700)
			}
			return nil // what can't be read is read at the next try
		})
	case errors.Is(why, syscall.EMFILE) || errors.Is(why, syscall.ENFILE):
		for n := 0; ctx.Err() == nil && cut(root, &n); {
		}
	}
}

// cut moves every directory of maxDepth up to the top of root, under a name of its
// own, and says whether there was one.
func cut(root *os.Root, n *int) (found bool) {
	_ = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || strings.Count(name, "/") < maxDepth {
			return nil
		}
		for *n++; ; *n++ {
			fresh := fmt.Sprintf(".cut-%d", *n)
			if _, err := root.Lstat(fresh); err == nil {
				continue
			}
			if root.Rename(path.Clean(name), fresh) == nil {
				found = true
			}
			return fs.SkipDir
		}
	})
	return found
}
