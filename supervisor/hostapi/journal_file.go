package hostapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// FileJournal is a directory with a small file for each entry. What has been put
// is on the disk, whether the host is killed or the machine loses its power. The
// directory belongs to one host at a time.
type FileJournal struct{ dir string }

// OpenFileJournal opens the directory, and makes it where there is none.
func OpenFileJournal(dir string) (*FileJournal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the journal's directory: %w", err)
	}
	drafts, err := filepath.Glob(filepath.Join(dir, "*"+entrySuffix+draftSuffix))
	for _, draft := range drafts { // a crash left them; nobody was told that they are there
		err = errors.Join(err, os.Remove(draft))
	}
	if err != nil {
		return nil, fmt.Errorf("tidy the journal: %w", err)
	}
	return &FileJournal{dir}, nil
}

const (
	entrySuffix = ".json"
	draftSuffix = ".new" // not yet complete
)

// file is an entry's. Sessions are made by this package of letters and digits;
// Base keeps a foreign one inside the directory.
func (j *FileJournal) file(session string) string {
	return filepath.Join(j.dir, filepath.Base(session)+entrySuffix)
}

// Put implements [Journal]; the file is the old entry or the new one, whole.
func (j *FileJournal) Put(_ context.Context, e Entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode a journal entry: %w", err)
	}
	file := j.file(e.Session)
	err = writeDurably(file+draftSuffix, data)
	if err == nil {
		err = os.Rename(file+draftSuffix, file)
	}
	if err == nil {
		err = j.syncDir()
	}
	if err != nil {
		return fmt.Errorf("write a journal entry: %w", err)
	}
	return nil
}

// writeDurably returns when the disk has the file: a rename may otherwise reach it
// before what is in the file does.
func writeDurably(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDir returns when the disk knows which files there are. Windows does not open
// directories for that, and writes such changes down by itself.
func (j *FileJournal) syncDir() error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(j.dir)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Remove implements [Journal]. A removal that a power failure undoes is one that the
// usage recorder hears of twice.
func (j *FileJournal) Remove(_ context.Context, session string) error {
	err := os.Remove(j.file(session))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// List implements [Journal]. A file that can't be read as an entry is reported
// after the others.
func (j *FileJournal) List(context.Context) (all []Entry, err error) {
	files, err := os.ReadDir(j.dir)
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), entrySuffix) {
			continue // a draft that a crash left
		}
		var e Entry
		data, readErr := os.ReadFile(filepath.Join(j.dir, f.Name()))
		if readErr == nil {
			readErr = json.Unmarshal(data, &e)
		}
		if readErr == nil && j.file(e.Session) != filepath.Join(j.dir, f.Name()) {
			readErr = errors.New("it is no entry of the session that it is named for")
		}
		if readErr != nil {
			err = errors.Join(err, fmt.Errorf("read the journal's %s: %w", f.Name(), readErr))
			continue
		}
		all = append(all, e)
	}
	return all, err
}
