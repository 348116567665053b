package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor/dashboard"
)

// shownEvents is how many of the browsers' events are kept for the page.
const shownEvents = 30

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

// status is what the dashboard shows beside the sandboxes; every method may be
// called at any time.
type status struct {
	mu      sync.Mutex
	agent   *dashboard.Agent // nil: there is none
	events  []dashboard.Event
	picture []byte
}

// readAgent returns a copy that later changes don't touch.
func (s *status) readAgent() *dashboard.Agent {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.agent == nil {
		return nil
	}
	copied := *s.agent
	copied.Steps = append([]dashboard.Step{}, s.agent.Steps...)
	return &copied
}

func (s *status) readEvents() []dashboard.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]dashboard.Event{}, s.events...)
}

// event keeps what a browser reported, the newest first; but for its account of each
// minute, which is no news.
func (s *status) event(sandbox string, e proto.Event) {
	if e.Type == proto.EventUsage {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := dashboard.Event{At: time.UnixMilli(e.At), Sandbox: sandbox, Type: e.Type, Text: eventText(e)}
	s.events = append([]dashboard.Event{shown}, s.events[:min(len(s.events), shownEvents-1)]...)
}

// agentBegins notes that an agent works in a sandbox.
func (s *status) agentBegins(sandbox string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent = &dashboard.Agent{Sandbox: sandbox, Status: "working"}
}

func (s *status) step(done dashboard.Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent.Steps = append(s.agent.Steps, done)
}

func (s *status) agentEnds(how, outcome string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.agent.Status, s.agent.Outcome = how, outcome
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
	s.mu.Lock()
	defer s.mu.Unlock()
	s.picture, s.agent.Screenshot = picture, screenshotPath
	return nil
}

func (s *status) screenshot() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.picture
}
