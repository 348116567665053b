package hostapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

// Whatever a request's body is, its answer is one of the API's: JSON, and no
// failure of the host.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "[]", "null", `{"mode":"headless"}`, `{"mode":5}`, `{"mode":"headed","capabilities":["pdf"]}`, `{"capabilities":[null]}`,
		`{"sign_in":"yes"}`, `{"MODE":"x"}`, `{"mode":"control"}`, "{\"mode\":\"\xff\"}", `{"mode":"view"} x`,
	} {
		f.Add([]byte(seed))
	}
	sandboxes := &hostapi.MemorySandboxes{}
	sandboxes.Put(hostapi.Sandbox{ID: "s1", Ready: true, AppURL: "http://127.0.0.1:1"})
	backend := &fakeBackend{modes: []proto.Mode{proto.Headless}, refuse: io.ErrUnexpectedEOF}
	host, err := hostapi.New(hostapi.Options{Sandboxes: sandboxes, Supervisor: &supervisor.Supervisor{Runner: backend}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { host.Close() })
	f.Fuzz(func(t *testing.T, body []byte) {
		for path, started := range map[string]int{"": http.StatusBadGateway, "/tickets": http.StatusConflict} {
			r := httptest.NewRequest("POST", "/api/sandboxes/s1/browser"+path, bytes.NewReader(body))
			r.Host, r.RemoteAddr = "localhost", "127.0.0.1:9"
			w := httptest.NewRecorder()
			host.ServeHTTP(w, r)
			switch w.Code {
			case started, http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge:
			default:
				t.Errorf("%q: %d %s", body, w.Code, w.Body)
			}
			if !json.Valid(w.Body.Bytes()) {
				t.Errorf("%q is answered by %s", body, w.Body)
			}
		}
	})
}
