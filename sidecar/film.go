package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/record/film"
)

const (
	// filmShare is what cameras get to end their parts in a stop.
	filmShare = 1500 * time.Millisecond
	// handOverShare is what a stop waits for the host to fetch the last films: some
	// megabytes from this machine, or from a container's.
	handOverShare = 3 * time.Second
	// ownFilmsQuota is how much film is kept beside the file of a recording, of all
	// the sessions that recorded to it.
	ownFilmsQuota = 4 << 30
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
	limit := int64(cmp.Or(o.VideoBytes, proto.DefaultVideoBytes))
	if s.films != "" {
		limit = min(limit, max(1, ownFilmsQuota-sizeOfFilms(s.films)))
	}
	s.film = film.New(film.Options{
		Events: s.events, Keep: s.keepFilm, Failed: s.filmFailed, Full: func() { s.filmFull(limit) },
		Takeovers: o.VideoTakeovers, Limit: limit, Log: s.log,
	})
}

// sizeOfFilms is what a directory of films has, in bytes.
func sizeOfFilms(dir string) (size int64) {
	entries, _ := os.ReadDir(dir) // there may be none yet
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
	}
	return size
}

// filmFull tells that nothing is filmed any more.
func (s *session) filmFull(limit int64) {
	s.recorder.FilmEnded(time.Now(), "limit")
	s.out.event(proto.EventWarning, "", map[string]any{
		"code": string(proto.CodeRecordingLimit), "message": fmt.Sprintf("filming has ended: the session may have %d bytes of film", limit),
		"hint": "Set recording.video_bytes to film more, or clear the directory of films; the rest of the recording goes on",
	})
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
	s.handover.told(saved.Link)
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

// handover is the films that a host was told of and has not fetched. The zero value
// is in order.
type handover struct {
	mu      sync.Mutex
	waiting map[string]bool
	changed chan struct{} // closed when one was fetched
}

func (h *handover) told(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting == nil {
		h.waiting = map[string]bool{}
	}
	h.waiting[name] = true
}

// fetched takes a film off the list; any other file changes nothing.
func (h *handover) fetched(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.waiting, name)
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
}

// wait returns when nothing is on the list, or else the number of films that are
// when ctx ends.
func (h *handover) wait(ctx context.Context) (left int) {
	for {
		h.mu.Lock()
		left = len(h.waiting)
		if h.changed == nil {
			h.changed = make(chan struct{})
		}
		changed := h.changed
		h.mu.Unlock()
		if left == 0 {
			return 0
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return left
		}
	}
}

// handsOver says whether there is a host to fetch the last films from here: films
// have no other place, and somebody listens.
func (s *session) handsOver(reason string) bool {
	return s.film != nil && s.films == "" && s.server != nil && s.launch.Lifeline && reason != proto.ReasonParentGone
}

// handOver lets the host fetch the last films, for a moment, and ends the server.
func (s *session) handOver(ctx context.Context) {
	step, cancel := context.WithTimeout(ctx, handOverShare)
	defer cancel()
	if end, ok := ctx.Deadline(); ok {
		step, cancel = context.WithDeadline(step, end.Add(-removeShare))
		defer cancel()
	}
	if left := s.handover.wait(step); left > 0 {
		s.log.Warn("the host did not fetch all films", "left", left)
	}
	_ = s.server.Stop(ctx) // its calls have had their answers
}
