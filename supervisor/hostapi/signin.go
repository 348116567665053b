package hostapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

// signInBytes is the most that a browser's sign-in may have: as much as a
// launch config may carry.
const signInBytes = 20 << 20

// firstRead holds most sign-ins: some cookies and settings.
const firstRead = 32 << 10

// project is what a sandbox's sign-in is kept under.
func (s Sandbox) project() string {
	if s.Project != "" {
		return "project " + s.Project
	}
	return "sandbox " + s.ID
}

// loadSignIn gives what was saved for the sandbox's project; nothing saved is
// nothing given. The sidecar takes of it what belongs to its app.
func (h *Host) loadSignIn(ctx context.Context, sandbox Sandbox) (proto.StorageState, error) {
	sealed, err := h.o.SignIns.Load(ctx, sandbox.Owner, sandbox.project())
	if err != nil {
		return proto.StorageState{}, internal("load the saved sign-in", err)
	}
	if sealed == nil {
		return proto.StorageState{}, nil
	}
	text, err := h.vault.open(sealed, sandbox.Owner, sandbox.project())
	if err != nil {
		return proto.StorageState{}, &proto.Error{Code: proto.CodeSignInUnavailable, Message: err.Error(), Err: err,
			Hint: "Start without it, sign in anew, and save that"}
	}
	defer clear(text)
	return proto.DecodeStorageState(text)
}

// SaveSignIn saves the sign-in that a sandbox's running browser has now, for
// browsers of the same project that start with one.
func (h *Host) SaveSignIn(ctx context.Context, who Identity, id string) error {
	sandbox, err := h.sandbox(ctx, who.Owner, id)
	if err != nil {
		return err
	}
	if h.vault == nil {
		return refuse(proto.CodeSignInUnavailable, "this host keeps no sign-ins: it has no key for them")
	}
	if s := h.newest(sandbox); s != nil {
		if browser := s.running(); browser != nil {
			return h.saveSignIn(ctx, s.sandbox, browser)
		}
	}
	return refuse(proto.CodeBrowserNotRunning, "the sandbox has no running browser")
}

// ForgetSignIn deletes what was saved for a sandbox's project.
func (h *Host) ForgetSignIn(ctx context.Context, who Identity, id string) error {
	sandbox, err := h.sandbox(ctx, who.Owner, id)
	if err != nil {
		return err
	}
	return h.o.SignIns.Save(ctx, sandbox.Owner, sandbox.project(), nil)
}

// forgetOwnSignIn deletes what was saved for a sandbox alone: once the sandbox is
// gone nobody could, and the next one of its name must not have it.
func (h *Host) forgetOwnSignIn(ctx context.Context, sandbox Sandbox) error {
	if sandbox.Project != "" {
		return nil
	}
	if err := h.o.SignIns.Save(ctx, sandbox.Owner, sandbox.project(), nil); err != nil {
		return internal("forget the sandbox's sign-in", err)
	}
	return nil
}

// keepSignIn is saveSignIn at the end of a browser, where nobody waits for the
// answer.
func (h *Host) keepSignIn(s *session, browser *supervisor.Browser) {
	ctx, cancel := context.WithTimeout(context.Background(), signInTimeout)
	defer cancel()
	if err := h.saveSignIn(ctx, s.sandbox, browser); err != nil {
		h.log.Warn("sign-in is not saved", "sandbox", s.sandbox.ID, "session", s.id, "error", err)
	}
}

func (h *Host) saveSignIn(ctx context.Context, sandbox Sandbox, browser *supervisor.Browser) error {
	state, err := h.fetchSignIn(ctx, browser)
	if err != nil {
		return err
	}
	if state, err = ofApp(state, browser.AppURL()); err != nil {
		return err
	}
	text, err := json.Marshal(state)
	if err != nil {
		return internal("encode the sign-in", err)
	}
	defer clear(text)
	sealed := h.vault.seal(text, sandbox.Owner, sandbox.project())
	if err := h.o.SignIns.Save(ctx, sandbox.Owner, sandbox.project(), sealed); err != nil {
		return internal("save the sign-in", err)
	}
	return nil
}

// fetchSignIn asks the sidecar for its browser's sign-in.
func (h *Host) fetchSignIn(ctx context.Context, browser *supervisor.Browser) (proto.StorageState, error) {
	address, err := url.Parse(browser.MCPURL())
	if err != nil {
		return proto.StorageState{}, internal("read the browser's address", err)
	}
	address.Path = "/storage-state"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return proto.StorageState{}, err
	}
	r.Header.Set("Authorization", "Bearer "+browser.MCPToken().Reveal())
	response, err := h.toBrowsers.RoundTrip(r)
	if err != nil {
		return proto.StorageState{}, fmt.Errorf("ask the browser for its sign-in: %w", err)
	}
	defer response.Body.Close()
	data, err := readOnce(response.Body, signInBytes)
	defer clear(data)
	switch {
	case err != nil:
		return proto.StorageState{}, fmt.Errorf("read the browser's sign-in: %w", err)
	case response.StatusCode != http.StatusOK:
		return proto.StorageState{}, fmt.Errorf("the browser gave no sign-in: %s", response.Status)
	}
	return proto.DecodeStorageAnswer(data)
}

// readOnce reads all that there is, and fails beyond limit bytes. What it returns is
// the only copy that it leaves.
func readOnce(r io.Reader, limit int) ([]byte, error) {
	data := make([]byte, 0, firstRead)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case len(data) > limit:
			return data, fmt.Errorf("it has more than %d bytes", limit)
		case err == io.EOF:
			return data, nil
		case err != nil:
			return data, err
		case len(data) == cap(data):
			larger := make([]byte, len(data), 2*cap(data))
			copy(larger, data)
			clear(data)
			data = larger
		}
	}
}

// ofApp keeps the cookies of the app's host and the localStorage of its origin.
// The sidecar does so too; what is kept for long is looked at twice.
func ofApp(state proto.StorageState, appURL string) (proto.StorageState, error) {
	app, err := url.Parse(appURL)
	if err != nil {
		return proto.StorageState{}, internal("read the app's address", err)
	}
	return state.Filter(app.Hostname(), originOf(app)), nil
}

// originOf writes an origin as browsers do: in lower case, without the port
// that the scheme implies.
func originOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	switch scheme := strings.ToLower(u.Scheme); scheme {
	case "http":
		return scheme + "://" + strings.TrimSuffix(host, ":80")
	case "https":
		return scheme + "://" + strings.TrimSuffix(host, ":443")
	default:
		return scheme + "://" + host
	}
}
