package hostapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

// identityKey is where a request's context has its [Identity].
type identityKey struct{}

// liveView serves the live view of a sandbox's running browser: the page, its
// tickets, and its socket, all through this host.
func (h *Host) liveView(w http.ResponseWriter, r *http.Request, who Identity) error {
	sandbox, err := h.sandbox(r.Context(), who.Owner, r.PathValue("id"))
	if err != nil {
		return err
	}
	s := h.newest(sandbox)
	var page http.Handler
	if s != nil && s.running() != nil {
		page = s.viewer // set before it runs, and never again
	}
	if page == nil {
		return refuse(proto.CodeBrowserNotRunning, "the sandbox has no running browser with a live view")
	}
	r = r.Clone(context.WithValue(r.Context(), identityKey{}, who))
	// Not by its prefix: a sandbox's name may be written in several ways.
	r.URL.Path, r.URL.RawPath = "/"+r.PathValue("rest"), ""
	if h.public != "" && r.Header.Get("Origin") == h.public {
		_, r.Host, _ = strings.Cut(h.public, "://") // whatever the proxy calls this host
	}
	page.ServeHTTP(w, r)
	return nil
}

// whoWatches gives the page's tickets, by the rules for the API's own.
func (s *session) whoWatches(r *http.Request, mode proto.TicketMode) (supervisor.Viewer, error) {
	who, _ := r.Context().Value(identityKey{}).(Identity)
	if err := s.mayWatch(r.Context(), who, s.sandbox, mode); err != nil {
		return supervisor.Viewer{}, err
	}
	return supervisor.Viewer{ID: who.User, Name: who.Name}, nil
}
