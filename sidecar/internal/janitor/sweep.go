package janitor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// sweep removes what dead sessions left in base: whole temporary directories
// of sessions that had one of their own, or the three directories of sessions
// that were given base as their work directory.
func sweep(ctx context.Context, base string, own bool, log *slog.Logger) {
	root, err := os.OpenRoot(base)
	if err != nil {
		log.Warn("the sweep can't look for dead sessions", "error", err)
		return
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		log.Warn("the sweep can't look for dead sessions", "error", err)
		return
	}
	names, err := dir.Readdirnames(-1)
	dir.Close()
	if err != nil {
		log.Warn("the sweep can't look for dead sessions", "error", err)
		return
	}
	prefix, one := profilePrefix, sweepProfile
	if own {
		prefix, one = rootPrefix, sweepRoot
	}
	for _, name := range names {
		if ctx.Err() != nil {
			return
		}
		live, judged := strings.CutSuffix(name, deadSuffix)
		if !isName(live, prefix) || !isOurs(root, name) {
			continue
		}
		var err error
		if judged {
			// An earlier sweep proved it dead and did not finish.
			err = removeIn(ctx, root, name)
		} else {
			err = one(ctx, root, name)
		}
		switch {
		case err == nil:
			log.Info("removed what a dead session left", "directory", filepath.Join(base, live))
		case !errors.Is(err, errNotDead):
			log.Warn("can't remove what a dead session left", "directory", filepath.Join(base, live), "error", err)
		}
	}
}

// errNotDead says that a directory stays: its session lives, or it is not ours
// to judge.
var errNotDead = errors.New("not a dead session")

// sweepRoot judges one session's own temporary directory in parent and removes
// it when it is dead.
func sweepRoot(ctx context.Context, parent *os.Root, name string) error {
	root, err := openDir(parent, name)
	if err != nil {
		return err
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		return fmt.Errorf("look into it: %w", err)
	}
	names, err := dir.Readdirnames(-1)
	dir.Close()
	if err != nil {
		return fmt.Errorf("look into it: %w", err)
	}
	for _, profile := range names {
		if !isName(profile, profilePrefix) {
			continue
		}
		lock, _, err := judge(ctx, root, profile)
		if err != nil {
			return err
		}
		defer lock.Close()
		return bury(ctx, parent, name)
	}
	return errNotDead // no profile, no record: made a moment ago, or not ours
}

// sweepProfile judges one session's profile in a work directory and removes
// all three directories when it is dead.
func sweepProfile(ctx context.Context, workdir *os.Root, profile string) error {
	lock, r, err := judge(ctx, workdir, profile)
	if err != nil {
		return err
	}
	defer lock.Close()
	// The profile goes last: with it goes the record of the others.
	for _, name := range []string{r.Uploads, r.Output} {
		if isOurs(workdir, name) {
			if err := removeIn(ctx, workdir, name); err != nil {
				return fmt.Errorf("remove directory: %w", err)
			}
		}
	}
	return bury(ctx, workdir, profile)
}

// judge returns the lock and the record of a dead session's profile, after
// what was left of its Chromium has been killed; errNotDead for any other.
func judge(ctx context.Context, parent *os.Root, profile string) (*os.File, record, error) {
	root, err := openDir(parent, profile)
	if err != nil {
		return nil, record{}, err
	}
	defer root.Close()
	lock, err := lockIn(root)
	if err != nil {
		return nil, record{}, errNotDead
	}
	r, err := readRecord(root)
	if err != nil || r.alive() {
		lock.Close()
		return nil, record{}, errNotDead
	}
	info, err := lock.Stat()
	if err != nil {
		lock.Close()
		return nil, record{}, errNotDead
	}
	ctx, cancel := context.WithTimeout(ctx, huntWithin)
	defer cancel()
	// Chromium is the profile's owner, whatever the record says: a forged one
	// can name nothing but processes of that user.
	claim := proc.Claim{UID: ownerOf(info), Profile: filepath.Join(parent.Name(), profile)}
	if r.Boot == bootID() {
		claim.Leader, claim.LeaderStart = r.Browser.PID, r.Browser.Start
	}
	if _, err := claim.Hunt(ctx); err != nil {
		lock.Close()
		return nil, record{}, fmt.Errorf("end its Chromium: %w", err)
	}
	return lock, r, nil
}

// bury renames a dead directory, so that nobody takes it for a session while
// it is removed, and removes it.
func bury(ctx context.Context, parent *os.Root, name string) error {
	if err := parent.Rename(name, name+deadSuffix); err != nil {
		return fmt.Errorf("rename directory: %w", err)
	}
	if err := removeIn(ctx, parent, name+deadSuffix); err != nil {
		return fmt.Errorf("remove directory: %w", err)
	}
	return nil
}

// isOurs reports whether name is a real directory in root that belongs to our
// user, or for root to a user of a browser.
func isOurs(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	if err != nil || !info.IsDir() {
		return false
	}
	owner := ownerOf(info)
	return owner == os.Geteuid() || os.Geteuid() == 0 && isName(strings.TrimSuffix(name, deadSuffix), profilePrefix)
}

// openDir opens a directory in parent. A symbolic link in its place, also one
// that appears meanwhile, is errNotDead.
func openDir(parent *os.Root, name string) (*os.Root, error) {
	before, err := parent.Lstat(name)
	if err != nil || !before.IsDir() {
		return nil, errNotDead
	}
	root, err := parent.OpenRoot(name)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			return nil, errNotDead
		}
		return nil, fmt.Errorf("look into it: %w", err)
	}
	if now, err := root.Stat("."); err != nil || !os.SameFile(before, now) {
		root.Close()
		return nil, errNotDead
	}
	return root, nil
}
