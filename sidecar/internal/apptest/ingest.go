package apptest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// IngestToken is the token that a fake ingest takes.
const IngestToken = "aarec_1234567890abcdefghijkmnopqrstuvw"

// Event is one recorded event that the ingest has stored.
type Event struct {
	Kind      string          `json:"kind"`      // "rrweb", "console", "marker"
	Timestamp float64         `json:"timestamp"` // epoch milliseconds
	Data      json.RawMessage `json:"data"`
}

// Label is a marker's label, "" for other kinds.
func (e Event) Label() string {
	var data struct {
		Label string `json:"label"`
	}
	if e.Kind == "marker" {
		json.Unmarshal(e.Data, &data)
	}
	return data.Label
}

// Batch is one POST to the ingest, stored or not.
type Batch struct {
	At     time.Time
	Status int    // that it was answered with
	Bytes  int    // inflated
	Body   []byte // inflated
	Header http.Header
	Events []Event // nil when it was refused
}

// Reply is one scripted answer. The zero value is an ordinary one.
type Reply struct {
	Status int           // 0 = what the batch deserves
	Delay  time.Duration // before answering
	Reset  bool          // drop the connection instead
	Header map[string]string
}

// Ingest is a recording store that checks each batch the way the real one
// does, all or nothing, and answers as scripted.
type Ingest struct {
	url        string
	batchBytes int
	stop       chan struct{}

	mu       sync.Mutex
	kinds    []string
	script   []Reply
	batches  []Batch
	problems []string
}

// NewIngest starts a fake ingest that takes batches of up to batchBytes
// inflated bytes (0: one MiB).
func NewIngest(t testing.TB, batchBytes int) *Ingest {
	t.Helper()
	if batchBytes == 0 {
		batchBytes = 1 << 20
	}
	i := &Ingest{batchBytes: batchBytes, stop: make(chan struct{}), kinds: []string{"rrweb", "console", "marker"}}
	i.url = Serve(t, i) + "/recordings/1/events"
	t.Cleanup(func() { close(i.stop) })
	return i
}

// URL is where batches go.
func (i *Ingest) URL() string { return i.url }

// Config is the "recording" section of a launch config for this ingest.
func (i *Ingest) Config() map[string]any {
	return map[string]any{"url": i.url, "token": IngestToken}
}

// Script sets the answers to the coming batches, one each; the ordinary ones
// come after the last.
func (i *Ingest) Script(replies ...Reply) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.script = replies
}

// Take lets further kinds of events in, beside those of the original's ingest.
func (i *Ingest) Take(kinds ...string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.kinds = append(i.kinds, kinds...)
}

// Batches returns every POST so far.
func (i *Ingest) Batches() []Batch {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.batches)
}

// Events returns the events of all stored batches in the order of arrival.
func (i *Ingest) Events() (all []Event) {
	for _, b := range i.Batches() {
		all = append(all, b.Events...)
	}
	return all
}

// Problems returns why batches were refused that broke a rule.
func (i *Ingest) Problems() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.problems)
}

// refusal is an answer that is no success.
type refusal struct {
	status int
	why    string
	code   string
}

func (r *refusal) Error() string { return r.why }

// ServeHTTP takes one batch.
func (i *Ingest) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	batch := Batch{At: time.Now(), Header: r.Header.Clone()}
	events, offset, err := i.check(r, &batch)

	i.mu.Lock()
	var reply Reply
	if len(i.script) > 0 {
		reply, i.script = i.script[0], i.script[1:]
	}
	batch.Status = http.StatusCreated
	var no *refusal
	if errors.As(err, &no) {
		batch.Status = no.status
		i.problems = append(i.problems, no.why)
	}
	if reply.Status != 0 {
		batch.Status = reply.Status
	}
	if reply.Reset {
		batch.Status = 0
	}
	if batch.Status == http.StatusCreated {
		batch.Events = events
	}
	i.batches = append(i.batches, batch)
	i.mu.Unlock()

	select {
	case <-time.After(reply.Delay):
	case <-r.Context().Done():
		return
	case <-i.stop:
		return
	}
	if reply.Reset {
		panic(http.ErrAbortHandler)
	}
	for k, v := range reply.Header {
		w.Header().Set(k, v)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(batch.Status)
	if batch.Status == http.StatusCreated {
		fmt.Fprintf(w, `{"stored":%d,"clock_offset_ms":%d}`, len(events), offset)
		return
	}
	body := map[string]string{"error": "as scripted"}
	if no != nil {
		body["error"] = no.why
		if no.code != "" {
			body["code"] = no.code
		}
	}
	json.NewEncoder(w).Encode(body)
}

// check reads a batch and holds it against every rule of the ingest.
func (i *Ingest) check(r *http.Request, b *Batch) (events []Event, offset int64, err error) {
	if r.Header.Get("Authorization") != "Bearer "+IngestToken {
		return nil, 0, &refusal{http.StatusUnauthorized, "the token is wrong", ""}
	}
	if r.Method != http.MethodPost {
		return nil, 0, &refusal{http.StatusMethodNotAllowed, "not a POST: " + r.Method, ""}
	}
	body := io.Reader(r.Body)
	switch r.Header.Get("Content-Encoding") {
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, 0, &refusal{http.StatusBadRequest, "broken gzip", ""}
		}
		body = z
	case "", "identity":
	default:
		return nil, 0, &refusal{http.StatusUnsupportedMediaType, "unknown encoding", ""}
	}
	b.Body, err = io.ReadAll(io.LimitReader(body, int64(i.batchBytes)+1))
	b.Bytes = len(b.Body)
	if err != nil {
		return nil, 0, &refusal{http.StatusBadRequest, "broken body: " + err.Error(), ""}
	}
	if b.Bytes > i.batchBytes {
		return nil, 0, &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("more than %d bytes", i.batchBytes), "recording_limit"}
	}
	i.mu.Lock()
	kinds := slices.Clone(i.kinds)
	i.mu.Unlock()
	return checkBatch(b.Body, b.At, kinds)
}

// Bounds of a batch.
const (
	nestingLimit = 512
	oldest       = 24 * time.Hour
	newest       = time.Minute
)

// checkBatch holds an inflated body against the rules: its shape, the kinds,
// the times against sent_at, the nesting. One bad event refuses all.
func checkBatch(body []byte, received time.Time, kinds []string) (events []Event, offset int64, err error) {
	unfit := func(format string, args ...any) ([]Event, int64, error) {
		return nil, 0, &refusal{http.StatusUnprocessableEntity, fmt.Sprintf(format, args...), ""}
	}
	if depth(body) > nestingLimit {
		return unfit("nested deeper than %d", nestingLimit)
	}
	var batch struct {
		SentAt any               `json:"sent_at"`
		Events []json.RawMessage `json:"recording_events"`
	}
	if err := json.Unmarshal(body, &batch); err != nil {
		return unfit("not a batch: %v", err)
	}
	if len(batch.Events) == 0 {
		return unfit("no recording_events")
	}
	var sent time.Time
	switch at := batch.SentAt.(type) {
	case float64:
		sent = time.UnixMilli(int64(at))
	case string:
		if sent, err = time.Parse(time.RFC3339, at); err != nil {
			return unfit("sent_at is no time: %v", err)
		}
	default:
		return unfit("sent_at is missing")
	}
	for n, raw := range batch.Events {
		var e Event
		if !bytes.HasPrefix(raw, []byte("{")) || json.Unmarshal(raw, &e) != nil {
			return unfit("event %d is no event: %.80s", n, raw)
		}
		if !slices.Contains(kinds, e.Kind) {
			return unfit("event %d has kind %q", n, e.Kind)
		}
		if strings.Contains(string(raw), `"timestamp"`) && e.Timestamp != 0 {
			at := time.UnixMilli(int64(e.Timestamp))
			if at.Before(sent.Add(-oldest)) || at.After(sent.Add(newest)) {
				return unfit("event %d is of %v, sent at %v", n, at, sent)
			}
		}
		events = append(events, e)
	}
	return events, received.Sub(sent).Milliseconds(), nil
}

// depth is how deep the arrays and objects of a JSON text are nested.
func depth(text []byte) (deepest int) {
	now, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}
