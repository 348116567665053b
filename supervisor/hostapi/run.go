package hostapi

import (
	"context"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

// Run is what an agent's run against a sandbox remembers of the sandbox's
// browser from when it was created. It is plain data: keep it with the run.
type Run struct {
	Sandbox string `json:"sandbox"`
	Session string `json:"session,omitempty"` // "": no browser ran
}

// NewRun notes which browser a run against the sandbox will have, if any.
func (h *Host) NewRun(ctx context.Context, who Identity, sandboxID string) (Run, error) {
	sandbox, err := h.sandbox(ctx, who.Owner, sandboxID)
	if err != nil {
		return Run{}, err
	}
	run := Run{Sandbox: sandbox.ID}
	if s := h.newest(sandbox); s != nil && s.running() != nil {
		run.Session = s.id
	}
	return run, nil
}

// Server is an MCP server that a run's agent may use.
type Server struct {
	Key  string // its name among the agent's servers: "browser:" and the session
	Path string // its route on this host, to be called with a credential of this host
}

// Reach gives a run its browser when it executes: nil where none ran when it
// was created. Where that browser has stopped since it fails with
// [proto.CodeBrowserStopped], so that the run can end before its model, or
// anything else, is called.
//
// This is the only way to a browser: its server key in the saved settings of an
// agent leads nowhere.
func (h *Host) Reach(ctx context.Context, who Identity, run Run) (*Server, error) {
	if run.Session == "" {
		return nil, nil
	}
	browser, s := h.byID(who, run.Session)
	if browser == nil || s.sandbox.ID != run.Sandbox {
		return nil, browserStopped()
	}
	return &Server{Key: serverKeyPrefix + s.id, Path: "/mcp/" + s.id}, nil
}

// byID finds a running browser of the caller's owner by its session. What runs
// for somebody else is not to be told from what does not run.
func (h *Host) byID(who Identity, id string) (*supervisor.Browser, *session) {
	h.mu.Lock()
	s := h.bySession[id]
	h.mu.Unlock()
	if s == nil || s.sandbox.Owner != who.Owner {
		return nil, nil
	}
	return s.running(), s
}

func browserStopped() error {
	return &proto.Error{
		Code:    proto.CodeBrowserStopped,
		Message: "this run's browser has stopped, and nothing was called",
		Hint:    "Start a browser and a new run",
	}
}
