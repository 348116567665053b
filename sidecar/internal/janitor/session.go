package janitor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// Options is what a session's directories depend on.
type Options struct {
	// Workdir is an existing directory that takes the three directories; "" is
	// a temporary one of the session's own.
	Workdir string
	// UID and GID are whom Chromium runs as.
	UID, GID int
	// Hold is the reservation of a user that runs nothing but this Chromium,
	// nil for the sidecar's own user. The survivor keeps it while it may kill
	// that user's processes.
	Hold *os.File
	Log  *slog.Logger // nil means silent
}

// Session is the directories of one session. All paths are absolute and free
// of symbolic links.
type Session struct {
	Root    string // where the three lie
	Profile string // Chromium's profile, the browser's user's
	Home    string // Chromium's home directory, in the profile
	Tmp     string // Chromium's temporary directory, in the profile
	Uploads string // files that pages may be given
	Output  string // files that the session makes

	log      *slog.Logger
	own      bool // Root is ours too
	lock     *os.File
	record   record
	survivor *survivor
	sweeping sync.WaitGroup
	cancel   context.CancelFunc // of the sweep
}

const (
	// removeWithin bounds the removal of the directories: Chromium's children
	// may write for a while after the browser's end, and "directory not empty"
	// is then the answer.
	removeWithin = 5 * time.Second
	// removeEvery is the pause between two tries.
	removeEvery = 50 * time.Millisecond
)

// Open makes a session's directories, after it has started their survivor and
// swept away what dead sessions left in the same place. The error is a
// *proto.Error with code workdir_unusable; nothing is left then.
func Open(opts Options) (*Session, error) {
	log := opts.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	base, own, err := baseOf(opts.Workdir)
	if err != nil {
		return nil, err
	}
	foreign := opts.UID != os.Geteuid() // Chromium runs as somebody else
	if foreign {
		if err := admit(base, own, opts.UID, opts.GID); err != nil {
			return nil, err
		}
	}
	s := &Session{log: log, own: own, Root: base}
	if own {
		s.Root = filepath.Join(base, freshName(base, rootPrefix))
	}
	s.Profile = filepath.Join(s.Root, freshName(s.Root, profilePrefix))
	s.Uploads = filepath.Join(s.Root, freshName(s.Root, uploadsPrefix))
	s.Output = filepath.Join(s.Root, freshName(s.Root, outputPrefix))
	s.Home = filepath.Join(s.Profile, "home")
	s.Tmp = filepath.Join(s.Profile, "tmp")

	s.survivor, err = startSurvivor(plan{
		Root: s.Root, OwnRoot: own, Profile: s.Profile, Uploads: s.Uploads, Output: s.Output,
		UID: opts.UID, Dedicated: opts.Hold != nil,
	}, opts.Hold, log)
	if err != nil {
		log.Warn("nobody will clean up if the sidecar is killed by force", "error", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.sweeping.Go(func() { sweep(ctx, base, own, log) })
	if err := s.make(foreign, opts.UID, opts.GID); err != nil {
		ctx, cancel := context.WithTimeout(context.Background(), removeWithin)
		defer cancel()
		return nil, unusable(s.Root, errors.Join(err, s.Remove(ctx)))
	}
	return s, nil
}

// baseOf returns where the session's directories, or its own root, go.
func baseOf(workdir string) (base string, own bool, err error) {
	base, own = workdir, false
	if workdir == "" {
		base, own = os.TempDir(), true
	}
	resolved, err := filepath.Abs(base)
	if err == nil {
		resolved, err = filepath.EvalSymlinks(resolved)
	}
	if err != nil {
		return "", false, unusable(base, err)
	}
	if info, err := os.Stat(resolved); err != nil || !info.IsDir() {
		return "", false, unusable(base, errors.Join(err, fs.ErrInvalid))
	}
	return resolved, own, nil
}

// unusable is the error for a place where no session can live.
func unusable(dir string, err error) *proto.Error {
	return &proto.Error{
		Code:    proto.CodeWorkdirUnusable,
		Message: fmt.Sprintf("no session can live in %s: %v", dir, err),
		Hint:    "Name an existing directory that the sidecar may write to in workdir, or in TMPDIR",
		Err:     err,
	}
}

// make makes the directories. Those of the browser's user change hands last,
// when nothing more is made in them.
func (s *Session) make(foreign bool, uid, gid int) error {
	if s.own {
		mode := os.FileMode(0o700)
		if foreign {
			mode = 0o711 // the way to the profile
		}
		if err := makeDir(s.Root, mode); err != nil {
			return err
		}
	}
	for _, dir := range []string{s.Profile, s.Uploads, s.Output, s.Home, s.Tmp} {
		if err := makeDir(dir, 0o700); err != nil {
			return err
		}
	}
	var err error
	if s.lock, err = lockDir(s.Profile); err != nil {
		return err
	}
	s.record = ownRecord(filepath.Base(s.Uploads), filepath.Base(s.Output))
	if err := s.record.write(s.Profile); err != nil {
		return err
	}
	if !foreign {
		return nil
	}
	for _, dir := range []string{s.Home, s.Tmp, s.Profile} {
		if err := os.Lchown(dir, uid, gid); err != nil {
			return fmt.Errorf("give directory to user %d: %w", uid, err)
		}
	}
	return nil
}

// makeDir makes one directory with exactly mode, whatever the umask.
func makeDir(dir string, mode os.FileMode) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if mode == 0o700 {
		return nil
	}
	return os.Chmod(dir, mode)
}

// Watch tells the survivor, and in case that is killed too the next sweep,
// which Chromium to kill: pid leads its session. It is not safe for concurrent
// use.
func (s *Session) Watch(pid int) {
	row := browserRow{PID: pid}
	if p, err := proc.Read(pid); err == nil {
		row.Start = p.Start
	}
	s.survivor.tell(message{Browser: &row})
	s.record.Browser = row
	if err := s.record.write(s.Profile); err != nil {
		s.log.Warn("a later sweep won't know this Chromium", "error", err)
	}
}

// Watched reports whether the survivor lives.
func (s *Session) Watched() bool { return s.survivor.lives() }

// Remove removes the directories and dismisses the survivor. Chromium must be
// gone. When something can't be removed before ctx ends, or within five
// seconds, the survivor is left to go on for a while.
func (s *Session) Remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, removeWithin)
	defer cancel()
	err := removeAll(ctx, s.own, s.Root, s.Uploads, s.Output, s.Profile)
	s.survivor.dismiss(err == nil)
	if s.lock != nil {
		s.lock.Close()
	}
	s.cancel()
	s.sweeping.Wait()
	return err
}

// absent reports whether there is nothing at path.
func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
