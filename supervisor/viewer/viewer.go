package viewer

import (
	"encoding/json"
	"errors"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/livepage"
	"github.com/pillion-browser/pillion/supervisor"
)

// Browser is what is shown; a [supervisor.Browser] is one.
type Browser interface {
	Ticket(viewer supervisor.Viewer, mode proto.TicketMode) (supervisor.Ticket, error)
	LiveURL() string
}

// Who says who makes a request, and whether they may watch ([proto.TicketView]) or
// drive ([proto.TicketControl]). An error refuses; the message of a [*proto.Error]
// is shown to the person.
type Who func(r *http.Request, mode proto.TicketMode) (supervisor.Viewer, error)

// maxAsked is more than any request for a ticket has bytes.
const maxAsked = 4 << 10

// dialTimeout is for a sidecar on this machine or the next: seconds are a failure.
const dialTimeout = 5 * time.Second

// New serves, below the path at which it is mounted:
//
//	GET  /         the page
//	POST /tickets  {"mode":"view" or "control"} → {"ticket","mode","expires_at","url"},
//	               or {"error"} with 400, 403, or 503 when the browser has ended
//	GET  /socket   the live view's WebSocket
func New(b Browser, who Who) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", livepage.New(livepage.Options{Socket: "socket", Tickets: "tickets"}))
	mux.HandleFunc("POST /tickets", func(w http.ResponseWriter, r *http.Request) { giveTicket(w, r, b, who) })
	mux.Handle("GET /socket", relay(b))
	return mux
}

func giveTicket(w http.ResponseWriter, r *http.Request, b Browser, who Who) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "application/json" || r.Header.Get("Origin") != "" && !sameOrigin(r) {
		// A page elsewhere can send neither without being asked about it first.
		refuse(w, http.StatusForbidden, "Tickets are for this host's own pages")
		return
	}
	var asked struct{ Mode proto.TicketMode }
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAsked)).Decode(&asked)
	if err != nil || asked.Mode != proto.TicketView && asked.Mode != proto.TicketControl {
		refuse(w, http.StatusBadRequest, `Send {"mode":"view"} or {"mode":"control"}`)
		return
	}
	person, err := who(r, asked.Mode)
	if err != nil {
		text := "You may not watch this browser"
		if asked.Mode == proto.TicketControl {
			text = "You may not drive this browser"
		}
		var e *proto.Error
		if errors.As(err, &e) {
			text = e.Message
		}
		refuse(w, http.StatusForbidden, text)
		return
	}
	ticket, err := b.Ticket(person, asked.Mode)
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, "The browser can't be watched now")
		return
	}
	answer(w, http.StatusOK, ticket)
}

func refuse(w http.ResponseWriter, status int, text string) {
	answer(w, status, map[string]string{"error": text})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

// sameOrigin says whether a page of this host makes the request. The scheme is not
// compared: whatever ends TLS before this host hides it.
func sameOrigin(r *http.Request) bool {
	origin, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && origin.Host != "" && strings.EqualFold(origin.Host, r.Host)
}

// relay passes the socket on to the sidecar.
func relay(b Browser) http.Handler {
	proxy := &httputil.ReverseProxy{
		// Browsers are reached at their own addresses, whatever proxy the environment
		// names: it would read along. No connection is used twice.
		Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true, DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext},
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // how a socket broke off is nobody's concern
		Rewrite: func(p *httputil.ProxyRequest) {
			live, err := url.Parse(b.LiveURL())
			if err != nil {
				live = &url.URL{} // fails as a browser that is not there
			}
			kept := http.Header{}
			for _, name := range []string{"Connection", "Upgrade", "Origin", "Sec-Websocket-Key", "Sec-Websocket-Version"} {
				if v := p.In.Header.Get(name); v != "" {
					kept.Set(name, v)
				}
			}
			kept["User-Agent"] = nil // not even this program's own
			p.Out.URL = &url.URL{Scheme: "http", Host: live.Host, Path: live.Path}
			p.Out.Host = live.Host
			p.Out.Header = kept
			// A request for a socket has no body, and one that is passed on while it is
			// still read may cut the answer.
			p.Out.Body, p.Out.ContentLength, p.Out.TransferEncoding = http.NoBody, 0, nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			refuse(w, http.StatusBadGateway, "The browser can't be reached")
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !sameOrigin(r):
			refuse(w, http.StatusForbidden, "The live view is for this host's own pages")
		case b.LiveURL() == "":
			refuse(w, http.StatusServiceUnavailable, "This browser has no live view")
		default:
			proxy.ServeHTTP(w, r)
		}
	})
}
