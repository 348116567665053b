package app

import (
	"net/http"
	"sync"
	"time"
)

// App is the site. Use New; the zero value serves nothing.
type App struct {
	mux      *http.ServeMux
	pages    pages
	sessions sessions
	ledger   *ledger
	journal  *journal
	life     life
}

// New returns a site with its seeded orders and nobody signed in.
func New() *App {
	a := &App{
		mux:      http.NewServeMux(),
		pages:    parsePages(),
		sessions: sessions{users: make(map[string]string)},
		ledger:   newLedger(),
		journal:  newJournal(),
		life:     life{done: make(chan struct{})},
	}
	a.routeStatic()
	a.routeShop()
	a.routeLab()
	a.routeFiles()
	a.routeTrouble()
	a.routeStreams()
	a.routeDebug()
	return a
}

// ServeHTTP notes the request down and answers it. After Close it answers 503.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !a.life.enter() {
		http.Error(w, "The shop is closed.", http.StatusServiceUnavailable)
		return
	}
	defer a.life.leave()
	a.journal.request(r)
	a.mux.ServeHTTP(w, r)
}

// Close ends every waiting handler (slow bodies, sockets, event streams) and
// returns when the last one is through. It may be called twice.
func (a *App) Close() { a.life.close() }

// pause waits for d. It reports false when the client left or the app closed
// before that; a negative d waits for just that.
func (a *App) pause(r *http.Request, d time.Duration) bool {
	var after <-chan time.Time
	if d >= 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		after = t.C
	}
	select {
	case <-after:
		return true
	case <-r.Context().Done():
	case <-a.life.done:
	}
	return false
}

// life counts the handlers at work, so that Close can wait for them.
type life struct {
	mu      sync.Mutex
	closed  bool
	done    chan struct{} // closed by close
	running sync.WaitGroup
}

func (l *life) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.running.Add(1)
	return true
}

func (l *life) leave() { l.running.Done() }

func (l *life) close() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.done)
	}
	l.mu.Unlock()
	l.running.Wait()
}
