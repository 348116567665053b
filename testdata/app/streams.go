package app

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/gorilla/websocket"
)

const (
	// socketLimit bounds one WebSocket message, in bytes.
	socketLimit = 4 << 20
	// socketGrace is how long a closing handshake may take.
	socketGrace = time.Second
	// tickDefault paces the event stream when the query does not.
	tickDefault = 100 * time.Millisecond
)

func (a *App) routeStreams() {
	a.mux.HandleFunc("GET /ws", a.socket)
	a.mux.HandleFunc("GET /events/stream", a.events)
	a.mux.HandleFunc("/api/echo", a.echo)
	a.mux.HandleFunc("/api/status", a.status)
	a.mux.HandleFunc("GET /api/orders", func(w http.ResponseWriter, r *http.Request) {
		if !a.pause(r, duration(r, "delay", 0)) {
			return
		}
		writeJSON(w, http.StatusOK, a.ledger.table("number", "desc", r.URL.Query().Get("q"), 1).Rows)
	})
	a.mux.HandleFunc("GET /api/image", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/gif")
		io.Copy(w, picture())
	})
}

// socket echoes every message. Pages of any origin may connect: who may is for
// the walls under test to decide, not for the site.
func (a *App) socket(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	defer a.journal.connected("ws")()
	defer conn.Close()
	conn.SetReadLimit(socketLimit)

	// A read cannot be told to stop, but it ends when its connection does.
	over, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-a.life.done:
			goodbye(conn, websocket.CloseGoingAway, "The shop closes")
			conn.Close()
		case <-over:
		}
	}()
	defer func() { close(over); <-watched }()

	q := r.URL.Query()
	if greet := q.Get("greet"); greet != "" {
		conn.WriteMessage(websocket.TextMessage, []byte(greet))
	}
	if code, err := strconv.Atoi(q.Get("close")); err == nil {
		goodbye(conn, code, "As asked")
	}
	for {
		kind, data, err := conn.ReadMessage()
		if err != nil {
			return
		}
		if conn.WriteMessage(kind, data) != nil {
			return
		}
	}
}

func goodbye(conn *websocket.Conn, code int, why string) {
	conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, why), time.Now().Add(socketGrace))
}

// events sends a tick ?every so long, ?n times (0 or none: without end).
func (a *App) events(w http.ResponseWriter, r *http.Request) {
	defer a.journal.connected("sse")()
	n, _ := strconv.Atoi(r.URL.Query().Get("n"))
	every := max(duration(r, "every", tickDefault), time.Millisecond)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w)
	for i := 1; n == 0 || i <= n; i++ {
		fmt.Fprintf(w, "id: %d\nevent: tick\ndata: tick %d\n\n", i, i)
		if flush.Flush() != nil || !a.pause(r, every) {
			return
		}
	}
	io.WriteString(w, "event: done\ndata: done\n\n")
}

// echo answers what was asked, as JSON.
func (a *App) echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, fieldLimit))
	if err != nil {
		http.Error(w, "read body: "+err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	writeJSON(w, http.StatusOK, struct {
		Method string              `json:"method"`
		Query  map[string][]string `json:"query"`
		Header http.Header         `json:"header"`
		Body   string              `json:"body"`
	}{r.Method, r.URL.Query(), r.Header, string(body)})
}

// status answers with ?code after ?delay.
func (a *App) status(w http.ResponseWriter, r *http.Request) {
	code, err := strconv.Atoi(r.URL.Query().Get("code"))
	if err != nil || code < 200 || code > 599 {
		code = http.StatusOK
	}
	if !a.pause(r, duration(r, "delay", 0)) {
		return
	}
	if code == http.StatusNoContent || code == http.StatusNotModified {
		w.WriteHeader(code)
		return
	}
	writeJSON(w, code, map[string]int{"status": code})
}
