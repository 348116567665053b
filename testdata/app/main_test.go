package app_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/testdata/app"
)

// visitor is a browser without scripts: a client with cookies.
type visitor struct {
	t    *testing.T
	app  *app.App
	base string
	http *http.Client
}

func visit(t *testing.T) *visitor {
	t.Helper()
	a := app.New()
	srv := httptest.NewServer(a)
	t.Cleanup(func() {
		a.Close()
		srv.Close()
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t, a, srv.URL, &http.Client{Jar: jar}}
}

// get returns the status, the final path and the body of a page.
func (v *visitor) get(path string) (status int, at, body string) {
	v.t.Helper()
	resp, err := v.http.Get(v.base + path)
	if err != nil {
		v.t.Fatalf("get %s: %v", path, err)
	}
	return v.read(resp)
}

func (v *visitor) read(resp *http.Response) (status int, at, body string) {
	v.t.Helper()
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatalf("read %s: %v", resp.Request.URL, err)
	}
	return resp.StatusCode, resp.Request.URL.RequestURI(), string(b)
}

func (v *visitor) signIn() {
	v.t.Helper()
	resp, err := v.http.PostForm(v.base+"/login", map[string][]string{"user": {app.User}, "password": {app.Password}})
	if err != nil {
		v.t.Fatal(err)
	}
	if status, at, _ := v.read(resp); status != 200 || at != "/" {
		v.t.Fatalf("sign in: status %d at %s", status, at)
	}
}

// raw does not follow redirects.
func (v *visitor) raw(method, path string) *http.Response {
	v.t.Helper()
	req, err := http.NewRequest(method, v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		v.t.Fatalf("%s %s: %v", method, path, err)
	}
	v.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func wantText(t *testing.T, body string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(body, p) {
			t.Errorf("%q is missing in:\n%s", p, body)
		}
	}
}
