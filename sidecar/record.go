package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/mcp"
	"github.com/pillion-browser/pillion/sidecar/internal/record"
)

// removeShare is what a stop keeps for the directories when the last of the
// recording is slow to go out.
const removeShare = 500 * time.Millisecond

// startRecording begins to record, where the launch asks for it, before there is a
// browser: its first page is a part of the recording.
func (s *session) startRecording() (err error) {
	o := s.launch.Recording
	if o == nil {
		return nil
	}
	var keep func(context.Context, string, []json.RawMessage) error
	if o.File != "" {
		if s.archive, err = openArchive(o.File, s.launch.AppURL); err != nil {
			return err
		}
		keep, s.films = s.archive.keep, s.archive.path+filmsSuffix
	}
	s.recorder, err = record.New(record.Options{
		URL: o.URL, Token: o.Token, Keep: keep, BatchEvents: o.BatchEvents, BatchBytes: o.BatchBytes, Actions: o.Actions,
		SpoolDir: s.dirs.Output, SpoolBytes: o.SpoolBytes,
		Events: s.events, Secrets: []string{s.launch.Token.Reveal(), o.Token.Reveal()}, Log: s.log,
	})
	if err == nil {
		s.startFilming()
	}
	return err
}

// recordPages has the browser's targets hooked.
func (s *session) recordPages(o *browser.Options) {
	if s.recorder == nil {
		return
	}
	o.Private = s.recorder.Private
	if s.film != nil {
		o.OnClosing = s.film.Finish
	}
	o.OnTarget = func(t *browser.Tab, target *cdp.Session) {
		s.recorder.Attach(t, target)
		if s.film != nil {
			s.film.Attach(t)
		}
	}
}

// recordCalls has the recorder told of the agents' calls: what one types, before,
// and how it went, after.
func (s *session) recordCalls(o *mcp.Options) {
	if s.recorder == nil {
		return
	}
	o.BeforeCall = s.recorder.Typing
	o.OnCall = func(c mcp.CallRecord) {
		s.recorder.Action(record.Action{
			Tool: c.Tool, Args: c.Args, Start: c.Start, Duration: c.Duration, Outcome: string(c.Outcome), Tab: s.browser.OnScreen(),
		})
	}
}

// flushRecording takes the pages' last events and pictures while there are pages.
func (s *session) flushRecording(ctx context.Context) {
	s.endFilming(ctx)
	if s.recorder != nil {
		s.recorder.Flush(ctx)
	}
}

// closeRecording sends what there is and accounts for it.
func (s *session) closeRecording(ctx context.Context) {
	s.endFilming(ctx) // where there was no browser to end it before
	if s.archive != nil {
		defer s.archive.close(s.log)
	}
	if s.recorder == nil {
		return
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-removeShare))
		defer cancel()
	}
	report := s.recorder.Close(ctx)
	reasons := map[string]any{}
	for reason, n := range report.Dropped {
		reasons[string(reason)] = n
	}
	s.out.event(proto.EventRecording, "", map[string]any{
		"recorded": report.Recorded, "sent": report.Sent, "dropped": report.Lost(), "reasons": reasons, "invalid": report.Invalid,
	})
}
