package recordings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/archive"
)

// What a store keeps where its options say nothing else.
const (
	DefaultMaxAge   = 90 * 24 * time.Hour
	DefaultMaxBytes = 10 << 30
	// KeepAll as an age or a size keeps recordings for ever.
	KeepAll = -1
)

// Prune removes the recordings that are over MaxAge, and the oldest until the others
// fit into MaxBytes, with their films. One that is open stays. The store prunes by
// itself when it is opened and after each Finish.
//
// Each recording goes whole or not at all, whatever happens to this process; what
// was due and is still there goes the next time. The file does not shrink: the next
// recordings take the room.
func (s *Store) Prune(ctx context.Context) (removed int, err error) {
	s.pruning.Lock()
	defer s.pruning.Unlock()
	all, err := s.archive.Recordings(ctx)
	if err != nil {
		return 0, err
	}
	var total int64 // of this one and all that are newer
	for _, r := range all {
		total += r.Stored + s.filmBytes(r.ID)
		why := s.due(r, total)
		if why == "" {
			continue
		}
		if err := s.archive.Remove(ctx, r.ID); err != nil && !errors.Is(err, proto.CodeRecordingUnknown) {
			return removed, err
		}
		removed++
		s.log.Info("removed a recording", "recording", r.ID, "why", why)
	}
	return removed, s.sweepFilms(ctx)
}

// due says why a recording is to go; "" where it is not.
func (s *Store) due(r archive.Recording, total int64) (why string) {
	last := r.Ended
	if last.IsZero() {
		last = r.Started
	}
	switch {
	case r.How == "":
		return ""
	case s.maxAge > 0 && s.now().Sub(last) > s.maxAge:
		return "age"
	case s.maxBytes > 0 && total > s.maxBytes:
		return "size"
	}
	return ""
}

// pruneAfter prunes where nobody waits for what comes of it.
func (s *Store) pruneAfter(ctx context.Context) {
	if _, err := s.Prune(ctx); err != nil {
		s.log.Warn("old recordings could not be removed", "error", err)
	}
}

// FilmsDir is the directory for the films of a recording; "" where the store has
// none for films.
func (s *Store) FilmsDir(id string) string {
	if s.films == "" {
		return ""
	}
	return filepath.Join(s.films, id)
}

// filmsOf are the files of a recording's films.
func (s *Store) filmsOf(id string) []fs.DirEntry {
	if s.films == "" {
		return nil
	}
	entries, _ := os.ReadDir(s.FilmsDir(id)) // most recordings have none
	var films []fs.DirEntry
	for _, e := range entries {
		whole := strings.HasPrefix(e.Name(), "film-") && strings.HasSuffix(e.Name(), ".mp4")
		part := strings.HasPrefix(e.Name(), ".film-") && strings.HasSuffix(e.Name(), ".part")
		if e.Type().IsRegular() && (whole || part) {
			films = append(films, e)
		}
	}
	return films
}

func (s *Store) filmBytes(id string) (size int64) {
	for _, f := range s.filmsOf(id) {
		if info, err := f.Info(); err == nil {
			size += info.Size()
		}
	}
	return size
}

// sweepFilms removes the films of recordings that are gone, and nothing else.
func (s *Store) sweepFilms(ctx context.Context) (failed error) {
	if s.films == "" {
		return nil
	}
	dirs, err := os.ReadDir(s.films)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("look for films: %w", err)
	}
	for _, d := range dirs {
		if !d.IsDir() || !nameable(d.Name()) {
			continue
		}
		_, err := s.archive.Recording(ctx, d.Name())
		if err == nil {
			continue
		}
		if !errors.Is(err, proto.CodeRecordingUnknown) {
			return err
		}
		films := s.filmsOf(d.Name())
		for _, f := range films {
			failed = cmp.Or(failed, os.Remove(filepath.Join(s.films, d.Name(), f.Name())))
		}
		if len(films) > 0 {
			_ = os.Remove(s.FilmsDir(d.Name())) // it stays where it has something else
		}
	}
	return failed
}
