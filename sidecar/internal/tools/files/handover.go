package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// Inbox is the directory that Chromium saves downloads to, each under its id.
func (s *Store) Inbox() string { return s.inbox.path }

// downloadID is what Chromium calls a download; nothing else may come near a
// path.
var downloadID = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

// Receive takes a finished download out of the inbox, into the output directory
// under the name that the page proposed, made plain.
func (s *Store) Receive(id, proposed string) (Saved, error) {
	if !downloadID.MatchString(id) {
		return Saved{}, fmt.Errorf("receive download: %q is no id", id)
	}
	defer s.Discard(id)
	f, info, err := s.inbox.open(id)
	if err != nil {
		return Saved{}, fmt.Errorf("receive download: %w", reason(err))
	}
	defer f.Close()
	name := Sanitized(proposed)
	if info.Size() > s.limits.File {
		return Saved{}, &TooLargeError{name, info.Size(), s.limits.File}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fill(name, func(to *os.File) (int64, error) { return copyLimited(to, f, name, s.limits.File) })
}

// Discard removes what is left of a download.
func (s *Store) Discard(id string) {
	if !downloadID.MatchString(id) {
		return
	}
	for _, name := range []string{id, id + ".crdownload"} {
		// Most often it is not there. If it can't go now, it goes with the profile.
		_ = s.inbox.Remove(name)
	}
}

// MaxDownload is the size in bytes over which a download is not received.
func (s *Store) MaxDownload() int64 { return s.limits.File }

// stage is one set of copies that a page was given.
type stage struct {
	name string
	size int64
}

// Stage copies files that the agent named to where Chromium's user may read
// them, and returns the copies' paths. Pages may read them until others need the
// room.
func (s *Store) Stage(filenames []string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	st := stage{name: "u" + strconv.Itoa(s.next)}
	paths, err := s.copyOut(&st, filenames)
	if err != nil {
		_ = s.outbox.RemoveAll(st.name) // it goes with the profile otherwise
		return nil, err
	}
	s.stages = append(s.stages, st)
	s.staged += st.size
	for len(s.stages) > 1 && s.staged > s.limits.Staged {
		old := s.stages[0]
		s.stages = s.stages[1:]
		s.staged -= old.size
		_ = s.outbox.RemoveAll(old.name) // as above
	}
	return paths, nil
}

func (s *Store) copyOut(st *stage, filenames []string) (paths []string, err error) {
	if err := s.mkdir(st.name); err != nil {
		return nil, err
	}
	for i, filename := range filenames {
		in, name, err := s.find(filename)
		if err != nil {
			return nil, err
		}
		from, info, err := in.open(name)
		if err != nil {
			return nil, s.unreadable(filename, in, name, err)
		}
		limit := min(s.limits.Upload, s.limits.Staged-st.size)
		if info.Size() > limit {
			from.Close()
			return nil, &TooLargeError{line(filename), info.Size(), limit}
		}
		// One directory a file: two of them may have the same name.
		sub := filepath.Join(st.name, strconv.Itoa(i))
		to := filepath.Join(sub, filepath.Base(name))
		err = s.mkdir(sub)
		if err == nil {
			var n int64
			n, err = s.copyFile(to, from, filename, limit)
			st.size += n
		}
		from.Close()
		if err != nil {
			return nil, err
		}
		paths = append(paths, filepath.Join(s.outbox.path, to))
	}
	return paths, nil
}

func (s *Store) copyFile(to string, from *os.File, name string, limit int64) (int64, error) {
	f, err := s.outbox.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, fmt.Errorf("copy %s for the page: %w", line(name), reason(err))
	}
	n, err := copyLimited(f, from, line(name), limit)
	if err == nil {
		err = f.Chmod(0o644) // whatever the umask says
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return n, fmt.Errorf("copy %s for the page: %w", line(name), reason(err))
	}
	return n, nil
}

// mkdir makes a directory that Chromium's user can search and not list.
func (s *Store) mkdir(name string) error {
	if err := s.outbox.Mkdir(name, 0o711); err != nil {
		return fmt.Errorf("make room for the page: %w", reason(err))
	}
	if err := s.outbox.Chmod(name, 0o711); err != nil {
		return fmt.Errorf("make room for the page: %w", reason(err))
	}
	return nil
}

// unreadable words why a file can't be given to a page.
func (s *Store) unreadable(filename string, in *dir, name string, err error) error {
	info, statErr := in.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(statErr, fs.ErrNotExist):
		return &AccessError{fmt.Sprintf("File not found: %s. Files can be given from %s and %s.",
			line(filename), filepath.Base(s.uploads.path), filepath.Base(s.output.path))}
	case statErr == nil && info.IsDir():
		return &AccessError{fmt.Sprintf("%s is a directory: name the files in it.", line(filename))}
	case statErr == nil && info.Mode().IsRegular():
		return &AccessError{fmt.Sprintf("File access denied: %s has other names, too (hard links).", line(filename))}
	}
	return s.denied(filename)
}
