package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// firstStreamed is the revision whose clients are told of a call's progress.
// Those of older ones have always had their answers in one piece.
const firstStreamed = "2025-11-25"

// eventStream is the media type of an event stream.
const eventStream = "text/event-stream"

// stream is where a request's answer goes. It turns into an event stream when
// there is something to say before the answer. A nil one never does. It belongs
// to the goroutine that serves the request.
type stream struct {
	w       http.ResponseWriter
	events  bool            // the client takes them
	token   json.RawMessage // what the client calls the call that it wants to hear of
	started time.Time
	begun   bool
}

func newStream(w http.ResponseWriter, r *http.Request) *stream {
	return &stream{w: w, events: accepts(r.Header, eventStream), started: time.Now()}
}

// accepts says whether a client names a media type among those that it takes.
// Wildcards don't count: whoever sends them may know nothing of the type.
func accepts(h http.Header, media string) bool {
	for _, value := range h.Values("Accept") {
		for part := range strings.SplitSeq(value, ",") {
			name, _, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), media) {
				return true
			}
		}
	}
	return false
}

// of is the stream for a call with this _meta: nil unless its client wants to hear
// of its progress and can.
func (s *stream) of(meta json.RawMessage) *stream {
	if s == nil || !s.events {
		return nil
	}
	token := object(meta)["progressToken"]
	if token == nil {
		return nil
	}
	if _, ok := idKey(token); !ok {
		return nil
	}
	s.token = token
	return s
}

// every gives ticks for as long as stop was not called; a nil stream has none.
func (s *stream) every(d time.Duration) (ticks <-chan time.Time, stop func()) {
	if s == nil {
		return nil, func() {}
	}
	t := time.NewTicker(d)
	return t.C, t.Stop
}

// progress tells that the call goes on, and whether it waits at the gate. What it
// counts are seconds.
func (s *stream) progress(tool string, held bool) {
	seconds := time.Since(s.started).Seconds()
	text := fmt.Sprintf("%s has been running for %.0f s", tool, seconds)
	if held {
		text = fmt.Sprintf("%s has been waiting for %.0f s: a person is driving this browser", tool, seconds)
	}
	type params struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress float64         `json:"progress"`
		Message  string          `json:"message"`
	}
	s.event(encode(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  params `json:"params"`
	}{"2.0", "notifications/progress", params{s.token, seconds, text}}))
}

// event sends one message. The first one opens the stream.
func (s *stream) event(message []byte) {
	if !s.begun {
		s.begun = true
		h := s.w.Header()
		h.Set("Content-Type", eventStream)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no") // proxies keep events back otherwise
		s.w.WriteHeader(http.StatusOK)
	}
	b := make([]byte, 0, len(message)+len("event: message\ndata: \n\n"))
	b = append(b, "event: message\ndata: "...)
	b = append(b, message...) // JSON of ours and an id of one line: no line ends in it
	b = append(b, "\n\n"...)
	_, _ = s.w.Write(b) // the client may be gone; nobody else is to be told
	_ = http.NewResponseController(s.w).Flush()
}

// end gives the answer.
func (s *stream) end(a reply) {
	if s.begun {
		s.event(a.body)
		return
	}
	a.write(s.w)
}
