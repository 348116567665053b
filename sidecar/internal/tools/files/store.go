package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Options is what a Store is made of.
type Options struct {
	Uploads, Output string // the session's directories, absolute
	// Profile is a directory of Chromium's user; the place where files change
	// hands is made in it.
	Profile  string
	UID, GID int // Chromium's user
	Limits   Limits
}

// Limits bound a Store. A zero field means its default.
type Limits struct {
	File   int64 // bytes of one file that is written or downloaded
	Total  int64 // bytes of all files that were written
	Count  int   // number of them
	Upload int64 // bytes of one file that is given to a page
	Staged int64 // bytes of all copies that pages were given
}

// The defaults of [Limits]: room for long sessions, and far from filling a disk.
const (
	defaultFile   = 64 << 20
	defaultTotal  = 512 << 20
	defaultCount  = 2000
	defaultUpload = 256 << 20
	defaultStaged = 512 << 20
)

func (l Limits) withDefaults() Limits {
	setDefault(&l.File, defaultFile)
	setDefault(&l.Total, defaultTotal)
	setDefault(&l.Count, defaultCount)
	setDefault(&l.Upload, defaultUpload)
	setDefault(&l.Staged, defaultStaged)
	return l
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Store is the files of one session. Its methods may be called at any time.
type Store struct {
	limits                         Limits
	uploads, output, inbox, outbox dir

	mu     sync.Mutex
	kept   []entry // oldest first
	total  int64
	stages []stage // oldest first
	staged int64
	next   int // number of the next stage
}

// dir is a directory and its handle: whatever happens to the path, the handle
// stays on the directory that was opened.
type dir struct {
	*os.Root
	path string
}

// entry is a file that was written.
type entry struct {
	in   *dir
	name string // with slashes
	size int64
}

// Open makes a Store and the place where files change hands. Chromium should not
// run yet: until it does, nobody else can put something into that place.
func Open(o Options) (_ *Store, err error) {
	s := &Store{limits: o.Limits.withDefaults()}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	handover := filepath.Join(o.Profile, "handover")
	foreign := o.UID != os.Geteuid()
	for _, d := range []struct {
		dir  *dir
		path string
		mode fs.FileMode // 0 for a directory that is there
		give bool        // to Chromium's user
	}{
		{&s.uploads, o.Uploads, 0, false},
		{&s.output, o.Output, 0, false},
		{&dir{}, handover, 0o711, false},
		{&s.inbox, filepath.Join(handover, "downloads"), 0o700, foreign},
		{&s.outbox, filepath.Join(handover, "uploads"), 0o711, false},
	} {
		if d.mode != 0 {
			if err := os.Mkdir(d.path, d.mode); err != nil {
				return s, fmt.Errorf("make directory: %w", err)
			}
			// Whatever the umask says.
			if err := os.Chmod(d.path, d.mode); err != nil {
				return s, fmt.Errorf("open directory for Chromium: %w", err)
			}
		}
		if d.give {
			if err := os.Lchown(d.path, o.UID, o.GID); err != nil {
				return s, fmt.Errorf("give directory to Chromium's user: %w", err)
			}
		}
		if d.path == handover {
			continue
		}
		d.dir.path = d.path
		if d.dir.Root, err = os.OpenRoot(d.path); err != nil {
			return s, fmt.Errorf("open directory: %w", err)
		}
	}
	return s, nil
}

// Close lets go of the directories. The files stay: they go with the session.
func (s *Store) Close() {
	for _, d := range []*dir{&s.uploads, &s.output, &s.inbox, &s.outbox} {
		if d.Root != nil {
			_ = d.Root.Close() // there is nothing to do about it
		}
	}
}

// Saved tells where a file went.
type Saved struct {
	Link    string // how answers name it; "artifacts/" and this fetches it
	Size    int64
	Evicted []string // links of files that made room for it
}

// TooLargeError says that a file is over its limit.
type TooLargeError struct {
	Name        string
	Size, Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has %s, the limit for one file is %s", e.Name, Bytes(e.Size), Bytes(e.Limit))
}

// Keep writes a file of the tools' own naming into the output directory. The
// name gets a number where it is taken.
func (s *Store) Keep(name string, data []byte) (Saved, error) {
	if int64(len(data)) > s.limits.File {
		return Saved{}, &TooLargeError{name, int64(len(data)), s.limits.File}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fill(name, func(f *os.File) (int64, error) {
		n, err := f.Write(data)
		return int64(n), err
	})
}

// fill makes a file under a name that is not taken. Called with the lock held.
func (s *Store) fill(name string, write func(*os.File) (int64, error)) (Saved, error) {
	name = s.free(name)
	f, err := s.output.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Saved{}, fmt.Errorf("make %s: %w", name, err)
	}
	n, err := write(f)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = s.output.Remove(name) // half a file is worse than none
		return Saved{}, fmt.Errorf("write %s: %w", name, reason(err))
	}
	return Saved{Link: name, Size: n, Evicted: s.admit(entry{&s.output, name, n})}, nil
}

// Write writes a file that the agent has named, in place of one that has the
// name. A relative name is one of the uploads directory.
func (s *Store) Write(filename string, data []byte) (Saved, error) {
	if int64(len(data)) > s.limits.File {
		return Saved{}, &TooLargeError{filename, int64(len(data)), s.limits.File}
	}
	d, name, err := s.place(filename)
	if err != nil {
		return Saved{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if parent := filepath.Dir(name); parent != "." {
		if err := d.MkdirAll(parent, 0o700); err != nil {
			return Saved{}, s.denied(filename)
		}
	}
	if info, err := d.Lstat(name); err == nil && !plain(info) {
		return Saved{}, s.denied(filename)
	}
	if err := d.WriteFile(name, data, 0o600); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			return Saved{}, s.denied(filename)
		}
		return Saved{}, fmt.Errorf("write %s: %w", filename, reason(err))
	}
	name = filepath.ToSlash(name)
	link := name
	if d == &s.uploads && filepath.Dir(name) == "." {
		link = "./" + name // as callers of the original know it
	}
	size := int64(len(data))
	return Saved{Link: link, Size: size, Evicted: s.admit(entry{d, name, size})}, nil
}

// Append adds to a file that [Store.Keep] made, up to limit bytes of it.
func (s *Store) Append(name string, data []byte, limit int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.kept, func(e entry) bool { return e.in == &s.output && e.name == name })
	if i < 0 {
		return fs.ErrNotExist
	}
	if s.kept[i].size+int64(len(data)) > limit {
		return &TooLargeError{name, s.kept[i].size + int64(len(data)), limit}
	}
	f, err := s.output.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", name, err)
	}
	n, err := f.Write(data)
	s.kept[i].size += int64(n)
	s.total += int64(n)
	return errors.Join(err, f.Close())
}

// admit takes a file in and lets the oldest ones go that it leaves no room for.
// Called with the lock held.
func (s *Store) admit(e entry) (evicted []string) {
	s.kept = slices.DeleteFunc(s.kept, func(o entry) bool {
		same := o.in == e.in && o.name == e.name
		if same {
			s.total -= o.size
		}
		return same
	})
	s.kept = append(s.kept, e)
	s.total += e.size
	for len(s.kept) > 1 && (s.total > s.limits.Total || len(s.kept) > s.limits.Count) {
		old := s.kept[0]
		s.kept = s.kept[1:]
		s.total -= old.size
		if err := old.in.Remove(old.name); err == nil {
			evicted = append(evicted, old.name)
		}
	}
	return evicted
}

// Artifact opens a file by its link. The error is fs.ErrNotExist for everything
// that is not one of the store's files.
func (s *Store) Artifact(link string) (*os.File, error) {
	name := filepath.ToSlash(filepath.Clean(link))
	s.mu.Lock()
	var found *entry
	for i := range s.kept { // the newest, where two have the name
		if s.kept[i].name == name {
			found = &s.kept[i]
		}
	}
	if found == nil {
		s.mu.Unlock()
		return nil, fs.ErrNotExist
	}
	in := found.in
	s.mu.Unlock()
	f, _, err := in.open(name)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return f, nil
}

// open opens a regular file that has this name alone.
func (d *dir) open(name string) (*os.File, fs.FileInfo, error) {
	named, err := d.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !plain(named) {
		return nil, nil, errNotPlain
	}
	f, err := d.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && (!plain(info) || !os.SameFile(named, info)) {
		err = errNotPlain
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// errNotPlain says that a name does not lead to a regular file of its own: it is
// a directory, a link, a pipe, or one of several names.
var errNotPlain = errors.New("not a regular file with one name")

// copyLimited copies at most limit bytes and reports more than that as an error.
func copyLimited(to io.Writer, from io.Reader, name string, limit int64) (int64, error) {
	n, err := io.Copy(to, io.LimitReader(from, limit+1))
	if err == nil && n > limit {
		err = &TooLargeError{name, n, limit}
	}
	return n, err
}

// reason is an error of the file system without the path that it was for.
func reason(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// Bytes writes a size for people.
func Bytes(n int64) string {
	const kib = 1 << 10
	switch {
	case n < kib:
		return fmt.Sprintf("%d bytes", n)
	case n < kib*kib:
		return fmt.Sprintf("%.1f KiB", float64(n)/kib)
	default:
		return fmt.Sprintf("%.1f MiB", float64(n)/(kib*kib))
	}
}
