package hostapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// requestBytes is the most that is read of a request's body.
const requestBytes = 64 << 10

// routes builds the handler. Requests that pages of other sites make with a
// person's cookies are refused before anything is looked at.
func (h *Host) routes() error {
	protection := http.NewCrossOriginProtection()
	if h.o.PublicURL != "" {
		u, err := url.Parse(h.o.PublicURL)
		if err != nil || u.Host == "" {
			return fmt.Errorf("PublicURL %q is not a URL", h.o.PublicURL)
		}
		h.public = originOf(u)
		if err := protection.AddTrustedOrigin(h.public); err != nil {
			return fmt.Errorf("PublicURL: %w", err)
		}
	}
	guard := func(route http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if err := protection.Check(r); err != nil {
				h.fail(w, r, refuse(proto.CodeOriginDenied, "the request comes from a page of another site"))
				return
			}
			route(w, r)
		}
	}
	h.mux = http.NewServeMux()
	for pattern, route := range map[string]func(http.ResponseWriter, *http.Request, Identity) error{
		"GET /api/sandboxes":                       h.listSandboxes,
		"DELETE /api/sandboxes/{id}":               h.deleteSandbox,
		"POST /api/sandboxes/{id}/browser":         h.startBrowser,
		"GET /api/sandboxes/{id}/browser":          h.showBrowser,
		"DELETE /api/sandboxes/{id}/browser":       h.stopBrowser,
		"POST /api/sandboxes/{id}/browser/tickets": h.makeTicket,
		"/live/{id}/{rest...}":                     h.liveView,
		"/mcp/{session}":                           h.passMCP,
	} {
		h.mux.HandleFunc(pattern, guard(func(w http.ResponseWriter, r *http.Request) {
			who, err := h.Identify(r)
			if err != nil {
				h.fail(w, r, err)
				return
			}
			if err := route(w, r, who); err != nil {
				h.fail(w, r, err)
			}
		}))
	}
	return nil
}

// ServeHTTP implements [http.Handler] for paths under /api/, /live/ and /mcp/.
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// Identify asks the authenticator who makes a request: for routes of the
// program's own that belong to the same people.
func (h *Host) Identify(r *http.Request) (Identity, error) {
	who, err := h.o.Authenticator.Authenticate(r)
	if err == nil || errors.Is(err, proto.CodePermissionDenied) {
		return who, err
	}
	return Identity{}, &proto.Error{Code: proto.CodeUnauthorized, Message: "the request does not say who makes it", Err: err}
}

// body decodes a request's JSON into v. No body is an empty object.
func body(r *http.Request, v any) error {
	data, err := io.ReadAll(io.LimitReader(r.Body, requestBytes+1))
	switch {
	case err != nil:
		return &proto.Error{Code: proto.CodeMessageMalformed, Message: "the request's body ended early", Err: err}
	case len(data) > requestBytes:
		return refuse(proto.CodeTooLarge, "the request's body is too large")
	case len(data) == 0:
		return nil
	}
	var wrongType *json.UnmarshalTypeError
	err = json.Unmarshal(data, v)
	if errors.As(err, &wrongType) && wrongType.Field != "" {
		return refuse(proto.CodeInvalidArguments, wrongType.Field+" can't be a JSON "+wrongType.Value)
	}
	if err != nil {
		return &proto.Error{Code: proto.CodeMessageMalformed, Message: "the request's body is not a JSON object", Err: err}
	}
	return nil
}

// Shown is a sandbox in a list.
type Shown struct {
	ID        string     `json:"id"`
	Title     string     `json:"title,omitempty"`
	AppURL    string     `json:"app_url"`
	Ready     bool       `json:"ready"`
	ExpiresAt *time.Time `json:"expires_at"` // null: never
	Browser   *Browser   `json:"browser"`    // null: there was none
}

// Listing is the answer of GET /api/sandboxes.
type Listing struct {
	Sandboxes    []Shown      `json:"sandboxes"`
	BrowserModes []proto.Mode `json:"browser_modes"`
}

// List lists the owner's sandboxes with their browsers, and the modes in which
// a browser can start.
func (h *Host) List(ctx context.Context, who Identity) (Listing, error) {
	list := Listing{Sandboxes: []Shown{}, BrowserModes: append([]proto.Mode{}, h.o.Supervisor.Modes()...)}
	sandboxes, err := h.o.Sandboxes.List(ctx, who.Owner)
	if err != nil {
		return list, err
	}
	for _, s := range sandboxes {
		if s.Owner != who.Owner {
			continue
		}
		one := Shown{ID: s.ID, Title: s.Title, AppURL: s.AppURL, Ready: s.Ready}
		if !s.ExpiresAt.IsZero() {
			at := s.ExpiresAt.UTC()
			one.ExpiresAt = &at
		}
		if b := h.newest(s); b != nil {
			one.Browser = b.show()
		}
		list.Sandboxes = append(list.Sandboxes, one)
	}
	return list, nil
}

func (h *Host) listSandboxes(w http.ResponseWriter, r *http.Request, who Identity) error {
	list, err := h.List(r.Context(), who)
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, list)
	return nil
}

func (h *Host) deleteSandbox(w http.ResponseWriter, r *http.Request, who Identity) error {
	if err := h.DeleteSandbox(r.Context(), who, r.PathValue("id")); err != nil {
		return err
	}
	answer(w, http.StatusOK, map[string]bool{"deleted": true})
	return nil
}

// browserAnswer is every answer about a browser.
type browserAnswer struct {
	Browser *Browser `json:"browser"` // null: there was none
}

func (h *Host) startBrowser(w http.ResponseWriter, r *http.Request, who Identity) error {
	var asked struct {
		Mode         proto.Mode `json:"mode"`
		Capabilities []string   `json:"capabilities"`
		SignIn       bool       `json:"sign_in"`
	}
	if err := body(r, &asked); err != nil {
		return err
	}
	shown, err := h.Start(r.Context(), who, r.PathValue("id"), StartOptions{
		Mode: asked.Mode, Capabilities: asked.Capabilities, SignIn: asked.SignIn, LiveOrigins: []string{h.origin(r)},
	})
	if err != nil {
		return err
	}
	answer(w, http.StatusCreated, browserAnswer{shown})
	return nil
}

// origin is that of the host's own pages, as the person who asks sees them.
func (h *Host) origin(r *http.Request) string {
	switch {
	case h.public != "":
		return h.public
	case r.TLS != nil:
		return "https://" + r.Host
	default:
		return "http://" + r.Host
	}
}

func (h *Host) showBrowser(w http.ResponseWriter, r *http.Request, who Identity) error {
	shown, err := h.Browser(r.Context(), who, r.PathValue("id"))
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, browserAnswer{shown})
	return nil
}

func (h *Host) stopBrowser(w http.ResponseWriter, r *http.Request, who Identity) error {
	shown, err := h.Stop(r.Context(), who, r.PathValue("id"))
	if err != nil {
		return err
	}
	answer(w, http.StatusOK, browserAnswer{shown})
	return nil
}
