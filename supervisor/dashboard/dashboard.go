package dashboard

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

//go:embed web
var web embed.FS

// policy allows the page its own files, and to frame the host's live views and
// replays.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Options are what the page shows. Host is required; each of the others adds
// its part of the page where it is set.
type Options struct {
	Host *hostapi.Host

	// Minutes is how many browser minutes an owner has used.
	Minutes func(ctx context.Context, owner string) (int, error)

	// Recordings lists the owner's, newest first.
	Recordings func(ctx context.Context, owner string) ([]Recording, error)

	// Doctor looks at what browsers need; it takes a second, and is asked when
	// somebody wants to know.
	Doctor func(ctx context.Context) ([]supervisor.Check, error)

	// Agent is what an agent of the host's own does.
	Agent func(owner string) *Agent

	// Events are the last things that browsers reported, newest first.
	Events func(owner string) []Event

	// Log receives what fails. nil: silent.
	Log *slog.Logger
}

// Recording is one line of the list of recordings.
type Recording struct {
	Title   string    `json:"title"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"` // zero: it goes on
	Events  int       `json:"events"`
	URL     string    `json:"url"` // of the page that replays it, on this host
}

// Agent is an agent at work.
type Agent struct {
	Sandbox    string `json:"sandbox"`
	Status     string `json:"status"` // working, finished or failed
	Outcome    string `json:"outcome,omitempty"`
	Steps      []Step `json:"steps"`
	Screenshot string `json:"screenshot,omitempty"` // a picture's address on this host
}

// Step is one call of a tool.
type Step struct {
	N    int    `json:"n"`
	Tool string `json:"tool"`
	What string `json:"what"` // without what was typed into password fields
	MS   int64  `json:"ms"`
	Err  string `json:"error,omitempty"`
}

// Event is something that a browser reported.
type Event struct {
	At      time.Time `json:"at"`
	Sandbox string    `json:"sandbox"`
	Type    string    `json:"type"`
	Text    string    `json:"text,omitempty"`
}

// state is everything that the page shows but the doctor's report.
type state struct {
	Version string `json:"version"`
	User    string `json:"user"`
	hostapi.Listing
	Minutes    *int         `json:"minutes,omitempty"`
	Recordings *[]Recording `json:"recordings,omitempty"`
	Agent      *Agent       `json:"agent,omitempty"`
	Events     *[]Event     `json:"events,omitempty"`
	Doctor     bool         `json:"doctor"` // there is one to be asked
}

// New serves:
//
//	GET /                       the page
//	GET /dashboard/state.json   what it shows
//	GET /dashboard/doctor.json  {"checks": [{"name", "state", "text"}]}
//	GET /dashboard/…            its files
func New(o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	files, err := fs.Sub(web, "web")
	if err != nil {
		panic(err) // the files are compiled in
	}
	d := &dashboard{o}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", d.guarded(func(w http.ResponseWriter, r *http.Request, _ hostapi.Identity) {
		http.ServeFileFS(w, r, files, "page.html")
	}))
	for _, name := range []string{"page.css", "page.js", "views.js"} {
		mux.HandleFunc("GET /dashboard/"+name, d.guarded(func(w http.ResponseWriter, r *http.Request, _ hostapi.Identity) {
			http.ServeFileFS(w, r, files, name)
		}))
	}
	mux.HandleFunc("GET /dashboard/state.json", d.guarded(d.state))
	mux.HandleFunc("GET /dashboard/doctor.json", d.guarded(d.doctor))
	return mux
}

type dashboard struct{ o Options }

// guarded lets in whom the host lets in.
func (d *dashboard) guarded(next func(http.ResponseWriter, *http.Request, hostapi.Identity)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		who, err := d.o.Host.Identify(r)
		switch {
		case errors.Is(err, proto.CodePermissionDenied):
			http.Error(w, "This host answers to others.", http.StatusForbidden)
		case err != nil:
			http.Error(w, "This host wants to know who you are.", http.StatusUnauthorized)
		default:
			next(w, r, who)
		}
	}
}

func (d *dashboard) state(w http.ResponseWriter, r *http.Request, who hostapi.Identity) {
	ctx := r.Context()
	list, err := d.o.Host.List(ctx, who)
	s := state{Version: proto.Version, User: who.Name, Listing: list, Doctor: d.o.Doctor != nil}
	if err == nil && d.o.Minutes != nil {
		s.Minutes = new(int)
		*s.Minutes, err = d.o.Minutes(ctx, who.Owner)
	}
	if err == nil && d.o.Recordings != nil {
		s.Recordings = &[]Recording{}
		*s.Recordings, err = d.o.Recordings(ctx, who.Owner)
	}
	if d.o.Agent != nil {
		s.Agent = d.o.Agent(who.Owner)
	}
	if d.o.Events != nil {
		events := append([]Event{}, d.o.Events(who.Owner)...)
		s.Events = &events
	}
	d.answer(w, s, err)
}

func (d *dashboard) doctor(w http.ResponseWriter, r *http.Request, _ hostapi.Identity) {
	if d.o.Doctor == nil {
		http.NotFound(w, r)
		return
	}
	type line struct {
		Name  string `json:"name"`
		State string `json:"state"`
		Text  string `json:"text"`
	}
	checks, err := d.o.Doctor(r.Context())
	lines := []line{}
	for _, c := range checks {
		lines = append(lines, line(c))
	}
	var e *proto.Error
	if errors.As(err, &e) { // a doctor that can't be asked is a finding as well
		lines, err = append(lines, line{"sidecar", "missing", e.Error()}), nil
	}
	d.answer(w, map[string]any{"checks": lines}, err)
}

func (d *dashboard) answer(w http.ResponseWriter, value any, err error) {
	if err != nil {
		d.o.Log.Error("the dashboard can't be shown", "error", err)
		http.Error(w, "The host failed to answer.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // the client may be gone
}
