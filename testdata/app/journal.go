package app

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// requestsKept bounds the request log: long soak runs must not eat memory,
	// and no test looks further back than its own few hundred requests.
	requestsKept = 20_000
	// accountKept bounds what pages may report, for the same reason.
	accountKept = 20_000
)

// Request is one request as it arrived, before it was answered.
type Request struct {
	At     time.Time   `json:"at"`
	Method string      `json:"method"`
	Host   string      `json:"host"` // as sent, with the port
	Path   string      `json:"path"`
	Query  string      `json:"query,omitempty"` // raw, without "?"
	Remote string      `json:"remote"`          // the peer's address and port
	Header http.Header `json:"header"`
}

// Entry is one thing that a page says happened to it.
type Entry struct {
	Page string `json:"page"` // path of the page that reports
	Kind string `json:"kind"` // e.g. "click", "alert", "key", "fetch"
	Text string `json:"text"`
}

// Upload is one file that arrived.
type Upload struct {
	Field  string `json:"field"`
	Name   string `json:"name"` // base name, as Go's parser cleans it
	Type   string `json:"type"`
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // hex
}

// journal is everything that arrived, for tests to read.
type journal struct {
	mu       sync.Mutex
	requests []Request
	hits     map[string]int
	account  []Entry
	uploads  []Upload
	open     map[string]int // long-lived connections by kind: "ws", "sse"
}

func newJournal() *journal {
	return &journal{hits: map[string]int{}, open: map[string]int{}}
}

// request logs r. What is asked of /debug is the observer's own doing and is
// not counted.
func (j *journal) request(r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/debug/") {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.hits[r.URL.Path]++
	if len(j.requests) == requestsKept {
		j.requests = slices.Delete(j.requests, 0, requestsKept/2)
	}
	j.requests = append(j.requests, Request{
		At: time.Now(), Method: r.Method, Host: r.Host, Path: r.URL.Path,
		Query: r.URL.RawQuery, Remote: r.RemoteAddr, Header: r.Header.Clone(),
	})
}

func (j *journal) report(e Entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.account) < accountKept {
		j.account = append(j.account, e)
	}
}

func (j *journal) upload(u Upload) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.uploads = append(j.uploads, u)
}

// connected counts a long-lived connection of the given kind until the
// returned function is called.
func (j *journal) connected(kind string) (gone func()) {
	add := func(n int) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.open[kind] += n
	}
	add(1)
	return func() { add(-1) }
}

func (j *journal) reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.requests, j.account, j.uploads = nil, nil, nil
	clear(j.hits)
}

// Requests returns the requests that arrived so far, oldest first, without
// those to /debug.
func (a *App) Requests() []Request {
	a.journal.mu.Lock()
	defer a.journal.mu.Unlock()
	return slices.Clone(a.journal.requests)
}

// Hits returns how many requests of any method came to exactly this path.
func (a *App) Hits(path string) int {
	a.journal.mu.Lock()
	defer a.journal.mu.Unlock()
	return a.journal.hits[path]
}

// AllHits returns the hit counters of all paths.
func (a *App) AllHits() map[string]int {
	a.journal.mu.Lock()
	defer a.journal.mu.Unlock()
	return maps.Clone(a.journal.hits)
}

// Account returns what the pages opened with ?report=1 said, oldest first.
func (a *App) Account() []Entry {
	a.journal.mu.Lock()
	defer a.journal.mu.Unlock()
	return slices.Clone(a.journal.account)
}

// Uploads returns the files that arrived, oldest first.
func (a *App) Uploads() []Upload {
	a.journal.mu.Lock()
	defer a.journal.mu.Unlock()
	return slices.Clone(a.journal.uploads)
}

// Open returns how many connections of a kind ("ws", "sse") are open now.
func (a *App) Open(kind string) int {
	a.journal.mu.Lock()
	defer a.journal.mu.Unlock()
	return a.journal.open[kind]
}

// Reset forgets requests, hits, accounts, uploads and placed orders. Sessions
// stay signed in.
func (a *App) Reset() {
	a.journal.reset()
	a.ledger.reset()
}
