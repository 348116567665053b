package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

// shownEvents is how many of the browser's events are kept for the page.
const shownEvents = 30

// state is what the page and /api/state show of the sandbox. It never holds
// the browser's token.
type state struct {
	Revision int       `json:"revision"` // grows with every change
	App      string    `json:"app"`
	Browser  browser   `json:"browser"`
	Agent    agentInfo `json:"agent"`
	Events   []event   `json:"events"` // newest first
}

type browser struct {
	Status    string         `json:"status"` // starting, running, stopped or failed
	StartedAt time.Time      `json:"started_at,omitzero"`
	StoppedAt time.Time      `json:"stopped_at,omitzero"`
	StartMS   int64          `json:"start_ms,omitempty"`
	Minutes   int            `json:"minutes,omitempty"`
	Reason    string         `json:"reason,omitempty"` // why it stopped or failed
	Version   string         `json:"version,omitempty"`
	Chromium  proto.Chromium `json:"chromium,omitzero"`
	Walls     []wall         `json:"walls,omitempty"`
	Live      string         `json:"live,omitempty"`      // the live view's path on this host
	Recording string         `json:"recording,omitempty"` // the replay's path on this host
}

// wall is one guarantee of the sidecar on this system.
type wall struct {
	Name string `json:"name"`
	Up   bool   `json:"up"`
}

type agentInfo struct {
	Status     string `json:"status"` // idle, working, finished or failed
	Outcome    string `json:"outcome,omitempty"`
	Steps      []step `json:"steps"`
	Screenshot string `json:"screenshot,omitempty"` // its path on this host
}

type event struct {
	At   time.Time `json:"at"`
	Type string    `json:"type"`
	Text string    `json:"text,omitempty"` // what it is about, in the sidecar's words
}

// eventText picks what a person wants to know from an event, whatever its type.
func eventText(e proto.Event) string {
	var parts []string
	if e.Reason != "" {
		parts = append(parts, e.Reason)
	}
	for _, key := range []string{"url", "kind", "target", "what", "by", "why", "reason", "message"} {
		if text, ok := e.Detail[key].(string); ok && text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}

// status is the state with its lock; every method may be called at any time.
type status struct {
	mu      sync.Mutex
	state   state
	picture []byte
}

func newStatus(appURL string) *status {
	return &status{state: state{
		App:     appURL,
		Browser: browser{Status: "starting"},
		Agent:   agentInfo{Status: "idle", Steps: []step{}},
		Events:  []event{},
	}}
}

// read returns a copy that later changes don't touch.
func (s *status) read() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	copied := s.state
	copied.Agent.Steps = append([]step{}, s.state.Agent.Steps...)
	copied.Events = append([]event{}, s.state.Events...)
	return copied
}

func (s *status) change(how func(*state)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Revision++
	how(&s.state)
}

func (s *status) started(b *supervisor.Browser, took time.Duration) {
	ready := b.Ready()
	s.change(func(st *state) {
		st.Browser = browser{
			Status:    "running",
			StartedAt: b.Usage().Started,
			StartMS:   took.Milliseconds(),
			Version:   ready.Version,
			Chromium:  ready.Chromium,
			Live:      livePath,
			Walls: []wall{
				{"Chromium’s own sandbox", ready.Features.Sandbox},
				{"A network of its own", ready.Features.PrivateNetwork},
				{"An unprivileged user", ready.Features.UnprivilegedUser},
				{"A cleaner that survives it", ready.Features.Janitor},
			},
		}
	})
}

// recorded notes where the browser's recording can be seen.
func (s *status) recorded(path string) {
	s.change(func(st *state) { st.Browser.Recording = path })
}

// failed notes that the browser did not start.
func (s *status) failed(err error) {
	s.change(func(st *state) { st.Browser.Status, st.Browser.Reason = "failed", err.Error() })
}

func (s *status) ended(b *supervisor.Browser, err error) {
	usage := b.Usage()
	s.change(func(st *state) {
		st.Browser.Status, st.Browser.Reason = "stopped", usage.Reason
		if err != nil {
			st.Browser.Status, st.Browser.Reason = "failed", err.Error()
		}
		st.Browser.StoppedAt, st.Browser.Minutes = usage.Stopped, usage.Minutes()
	})
}

func (s *status) event(e proto.Event) {
	s.change(func(st *state) {
		shown := event{At: time.UnixMilli(e.At), Type: e.Type, Text: eventText(e)}
		st.Events = append([]event{shown}, st.Events[:min(len(st.Events), shownEvents-1)]...)
	})
}

func (s *status) step(done step) {
	s.change(func(st *state) {
		st.Agent.Status = "working"
		st.Agent.Steps = append(st.Agent.Steps, done)
	})
}

func (s *status) agentFinished(outcome string) {
	s.change(func(st *state) { st.Agent.Status, st.Agent.Outcome = "finished", outcome })
}

func (s *status) agentFailed(err error) {
	s.change(func(st *state) { st.Agent.Status, st.Agent.Outcome = "failed", err.Error() })
}

// screenshot says where a picture goes: onto the page, and into a directory
// where one was given.
type screenshot struct{ dir, page string }

const (
	screenshotPath = "/screenshot.png"
	screenshotFile = "order-confirmed.png"
)

func (s screenshot) place() string {
	if s.dir == "" {
		return s.page + screenshotPath
	}
	file, err := filepath.Abs(filepath.Join(s.dir, screenshotFile))
	if err != nil {
		return filepath.Join(s.dir, screenshotFile)
	}
	return file
}

// keep stores the picture.
func (s *status) keep(shot screenshot, picture []byte) error {
	if shot.dir != "" {
		if err := os.MkdirAll(shot.dir, 0o755); err != nil {
			return fmt.Errorf("keep the screenshot: %w", err)
		}
		if err := os.WriteFile(shot.place(), picture, 0o644); err != nil {
			return fmt.Errorf("keep the screenshot: %w", err)
		}
	}
	s.change(func(st *state) {
		s.picture = picture
		st.Agent.Screenshot = screenshotPath
	})
	return nil
}

func (s *status) screenshot() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.picture
}
