package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor/recordings"
)

const (
	recordingsPath = "/recordings/" // where people look at recordings
	ingestPath     = "/ingest/"     // where sidecars send them
	recordingsFile = "recordings.db"
	// recordTimeout bounds what the store may take to begin and to end a recording.
	recordTimeout = 10 * time.Second
)

// tape is the recording of the browser, kept where the command line says. A nil
// one records nothing.
type tape struct {
	store  *recordings.Store
	intake recordings.Intake
	file   string
}

// newTape begins a recording in a directory; there is none without one.
func newTape(ctx context.Context, dir, appURL string, stderr io.Writer) (*tape, error) {
	if dir == "" {
		return nil, nil
	}
	file := filepath.Join(dir, recordingsFile)
	store, err := recordings.Open(ctx, file, recordings.Options{Log: slog.New(slog.NewTextHandler(stderr, nil))})
	if err != nil {
		return nil, err
	}
	in, err := store.Begin(ctx, recordings.About{Title: "The sample shop", App: appURL, Actions: true})
	if err != nil {
		store.Close()
		return nil, err
	}
	return &tape{store, in, file}, nil
}

// launch is the recording's part of a browser's config.
func (t *tape) launch(host string) *proto.Recording {
	if t == nil {
		return nil
	}
	return t.intake.Launch(host + ingestPath)
}

// path is where the recording is replayed, on this host; "" without one.
func (t *tape) path() string {
	if t == nil {
		return ""
	}
	return recordingsPath + t.intake.ID + "/"
}

// routes serves the store.
func (t *tape) routes(mux *http.ServeMux) {
	if t == nil {
		return
	}
	mux.Handle(recordingsPath, http.StripPrefix(recordingsPath[:len(recordingsPath)-1], t.store.Handler()))
	mux.Handle(ingestPath, http.StripPrefix(ingestPath[:len(ingestPath)-1], t.store.Ingest()))
}

// end closes the recording; call it when the browser has sent its last.
func (t *tape) end(stderr io.Writer) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), recordTimeout)
	defer cancel()
	if err := t.store.Finish(ctx, t.intake.ID); err != nil {
		fmt.Fprintln(stderr, "the recording was not ended:", err)
	}
	if err := t.store.Close(); err != nil {
		fmt.Fprintln(stderr, "the recordings were not closed:", err)
	}
	fmt.Fprintf(stderr, "The recording is in %s: look at it with sidecar replay.\n", t.file)
}
