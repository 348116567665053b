package main

import (
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/pillion-browser/pillion/supervisor/dashboard"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
	"github.com/pillion-browser/pillion/supervisor/recordings"
	"github.com/pillion-browser/pillion/supervisor/shelf"
)

const (
	recordingsPath = "/recordings/" // where people look at recordings
	ingestPath     = "/ingest/"     // where sidecars send them
	recordingsFile = "recordings.db"
	filmsDir       = "films"
)

// tape keeps recordings where the command line says. A nil one records nothing.
type tape struct {
	store *recordings.Store
	shelf *shelf.Shelf
	file  string
}

// openTape opens the recordings in a directory; there are none without one.
// host is this program's own address; film also films.
func openTape(ctx context.Context, dir, host string, film bool, log *slog.Logger) (*tape, error) {
	if dir == "" {
		return nil, nil
	}
	file := filepath.Join(dir, recordingsFile)
	o := recordings.Options{Log: log}
	if film {
		o.Films = filepath.Join(dir, filmsDir)
	}
	store, err := recordings.Open(ctx, file, o)
	if err != nil {
		return nil, err
	}
	return &tape{store, shelf.New(store, host+ingestPath), file}, nil
}

// recordings are the host's; nil records nothing.
func (t *tape) recordings() hostapi.Recordings {
	if t == nil {
		return nil
	}
	return t.shelf
}

// list is the dashboard's.
func (t *tape) list() func(ctx context.Context, owner string) ([]dashboard.Recording, error) {
	if t == nil {
		return nil
	}
	return func(ctx context.Context, owner string) ([]dashboard.Recording, error) {
		own, err := t.shelf.List(ctx, owner)
		shown := []dashboard.Recording{}
		for _, r := range own {
			shown = append(shown, dashboard.Recording{
				Title: r.Title, Started: r.Started, Ended: r.Ended, Events: r.Events, URL: recordingsPath + r.ID + "/",
			})
		}
		return shown, err
	}
}

// routes serves the store.
func (t *tape) routes(mux *http.ServeMux, host *hostapi.Host) {
	if t == nil {
		return
	}
	mux.Handle(recordingsPath, http.StripPrefix(strings.TrimSuffix(recordingsPath, "/"), t.shelf.Handler(host)))
	mux.Handle(ingestPath, http.StripPrefix(strings.TrimSuffix(ingestPath, "/"), t.store.Ingest()))
}

func (t *tape) close() error {
	if t == nil {
		return nil
	}
	return t.store.Close()
}
