package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/record/film"
)

const (
	// filmShare is what cameras get to end their parts in a stop.
	filmShare = 1500 * time.Millisecond
	// filmTime names a part by the wall clock at its begin.
	filmTime = "20060102T150405.000"
	// filmsSuffix names the directory of the films beside the file of a recording.
	filmsSuffix = ".films"
	// filmsMode and filmMode keep films from everybody else.
	filmsMode, filmMode = 0o700, 0o600
)

// startFilming films the tabs, where the launch asks for it.
func (s *session) startFilming() {
	o := s.launch.Recording
	if o == nil || !o.Video {
		return
	}
	s.film = film.New(film.Options{Events: s.events, Keep: s.keepFilm, Failed: s.filmFailed, Takeovers: o.VideoTakeovers, Log: s.log})
}

// filmFailed tells the host that it gets less than it asked for.
func (s *session) filmFailed(err error) {
	s.out.event(proto.EventWarning, "", map[string]any{
		"code": string(proto.CodeUnsupported), "message": "a tab could not be filmed: " + err.Error(),
		"hint": "Filming needs a Chromium of version 154 or later; the rest of the recording goes on",
	})
}

// keepFilm makes a part one of the session's files and tells of it. Those end with
// the session, so where there is a file for the recording the part is kept beside
// it too.
func (s *session) keepFilm(p film.Part) error {
	name := fmt.Sprintf("film-tab%d-%s.mp4", p.Tab, p.Start.UTC().Format(filmTime))
	var failed error
	if s.films != "" {
		if failed = os.MkdirAll(s.films, filmsMode); failed == nil {
			failed = os.WriteFile(filepath.Join(s.films, name), p.MP4, filmMode)
		}
	}
	saved, err := s.files.Keep(name, p.MP4)
	if err != nil {
		return errors.Join(failed, err)
	}
	s.recorder.Filmed(p.Tab, p.Start, p.End, name)
	s.out.event(proto.EventFilm, "", map[string]any{
		"artifact": saved.Link, "tab": p.Tab, "from": p.Start.UnixMilli(), "to": p.End.UnixMilli(), "bytes": len(p.MP4),
	})
	return failed
}

// endFilming ends the parts while there are pages.
func (s *session) endFilming(ctx context.Context) {
	if s.film == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, filmShare)
	defer cancel()
	s.film.Stop(ctx)
}
