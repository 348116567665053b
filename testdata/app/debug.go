package app

import (
	"encoding/json"
	"net/http"
)

// State is what GET /debug/state answers: everything that a test in another
// process, or a benchmark, may want to know about what arrived.
type State struct {
	Hits     map[string]int `json:"hits"`     // by path
	Orders   []Order        `json:"orders"`   // placed ones, oldest first
	Uploads  []Upload       `json:"uploads"`  // oldest first
	Account  []Entry        `json:"account"`  // what pages reported
	Open     map[string]int `json:"open"`     // connections open now: "ws", "sse"
	Requests []Request      `json:"requests"` // only with ?requests=1
}

func (a *App) routeDebug() {
	a.mux.HandleFunc("GET /debug/state", func(w http.ResponseWriter, r *http.Request) {
		s := State{
			Hits: a.AllHits(), Orders: a.Orders(), Uploads: a.Uploads(), Account: a.Account(),
			Open: map[string]int{"ws": a.Open("ws"), "sse": a.Open("sse")},
		}
		if r.URL.Query().Get("requests") == "1" {
			s.Requests = a.Requests()
		}
		writeJSON(w, http.StatusOK, s)
	})
	a.mux.HandleFunc("POST /debug/report", func(w http.ResponseWriter, r *http.Request) {
		var e Entry
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, fieldLimit)).Decode(&e); err != nil {
			http.Error(w, "read report: "+err.Error(), http.StatusBadRequest)
			return
		}
		a.journal.report(e)
		w.WriteHeader(http.StatusNoContent)
	})
	a.mux.HandleFunc("POST /debug/reset", func(w http.ResponseWriter, r *http.Request) {
		a.Reset()
		w.WriteHeader(http.StatusNoContent)
	})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}
