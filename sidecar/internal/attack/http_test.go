//go:build linux

package attack

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// initialize is a message that the gateway takes.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"attack","version":"1"}}}`

// post is an ordinary request; rows change one thing about it.
const post = "POST /mcp HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nContent-Type: application/json\nContent-Length: LENGTH\n\nBODY"

// request is a raw request of a row and what must come of it.
type request struct {
	text   string
	status []int // any of them; none: the connection may end without an answer
}

// requests are the rows of raw HTTP. LENGTH and BODY are the message's, HOST and
// PORT the sidecar's own, TOKEN its token.
func requests() map[string]request {
	change := func(old, new string, status ...int) request {
		return request{strings.Replace(post, old, new, 1), status}
	}
	auth, host := "Authorization: Bearer TOKEN\n", "Host: HOST\n"
	return map[string]request{
		"S070": {post, []int{200}},
		"S071": change(auth, "", 401),
		"S072": change("Bearer", "Basic", 401),
		"S073": change("TOKEN", "SHORT", 401),
		"S074": change(host, "Host: evil.test\n", 403, 421),
		"S075": change(host, "Host: 127.0.0.1\n", 403),
		"S076": change(auth, auth+"Origin: http://HOST\n", 403),
		"S077": change(auth, auth+"Origin: null\n", 403),
		"S078": {"OPTIONS /mcp HTTP/1.1\nHost: HOST\nOrigin: http://evil.test\nAccess-Control-Request-Method: POST\n\n", []int{403}},
		"S079": {strings.Replace(strings.Replace(post, auth, "", 1), "/mcp", "/mcp?token=TOKEN", 1), []int{401}},
		"S080": change("POST", "PUT", 405),
		"S081": change("application/json", "text/plain", 200),
		"S083": {"GET /unknown HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n", []int{404}},
		"S084": change("/mcp", "http://evil.test/mcp", 403),
		"S085": change(host, host+host, 400),
		"S086": change("Bearer", "bearer", 200),
		"S088": {"PRI * HTTP/2.0\n\nSM\n\n", []int{400, 403, 505}},
	}
}

// httpRow runs a row of raw HTTP. One of more.json is a change of the ordinary
// request: what is between "<" and "=>" becomes what is between "=>" and ">", or
// a whole request; its why begins with the status.
func httpRow(t *testing.T, e *scene, r row) {
	req, known := requests()[r.ID]
	switch {
	case r.ID == "S082":
		e.hugeBody(t)
		return
	case r.ID == "S087":
		e.gzipBody(t)
		return
	case !known:
		req = readRequest(t, r)
	}
	status, header, body := e.raw(t, req.text)
	ok := false
	for _, want := range req.status {
		ok = ok || status == want
	}
	if !ok {
		t.Errorf("answered with %d, want %v: %q", status, req.status, body)
	}
	checkAnswer(t, status, header, body)
	e.stillServes(t)
}

func readRequest(t *testing.T, r row) request {
	t.Helper()
	text := r.Input
	if change, ok := strings.CutPrefix(text, "<"); ok {
		old, new, found := strings.Cut(strings.TrimSuffix(change, ">"), "=>")
		if !found || !strings.Contains(post, old) {
			t.Fatalf("the row changes nothing: %q", r.Input)
		}
		text = strings.Replace(post, old, new, 1)
	}
	var req request
	req.text = text
	status, _, _ := strings.Cut(r.Why, ":")
	for _, one := range strings.Split(status, "/") {
		n := 0
		if _, err := fmt.Sscan(one, &n); err != nil {
			t.Fatalf("why begins with no status: %q", r.Why)
		}
		req.status = append(req.status, n)
	}
	return req
}

// checkAnswer looks at what every answer has in common: nothing for pages of
// other origins, nothing that is kept, nothing of the token.
func checkAnswer(t *testing.T, status int, header http.Header, body string) {
	t.Helper()
	for name := range header {
		if strings.HasPrefix(name, "Access-Control") {
			t.Errorf("an answer with %s", name)
		}
	}
	if header.Get("Server") != "" || header.Get("WWW-Authenticate") != "" || header.Get("Content-Encoding") != "" {
		t.Errorf("an answer with %v", header)
	}
	if strings.Contains(body, apptest.Token[8:]) {
		t.Errorf("the answer holds the token: %q", body)
	}
	if status == http.StatusOK && header.Get("Cache-Control") != "no-store" {
		t.Errorf("the answer may be kept: %v", header)
	}
}

// raw sends a request as it is and reads one answer; status 0 means that the
// connection ended without one.
func (e *scene) raw(t *testing.T, text string) (status int, header http.Header, body string) {
	t.Helper()
	conn := e.dial(t)
	if _, err := io.WriteString(conn, e.spell(text)); err != nil {
		return 0, nil, ""
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, nil, ""
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, string(b)
}

// spell puts the sidecar's own words into a request.
func (e *scene) spell(text string) string {
	head, body, _ := strings.Cut(text, "\n\n")
	body = strings.ReplaceAll(body, "BODY", initialize)
	text = strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n" + body
	return strings.NewReplacer(
		"HOST", fmt.Sprintf("127.0.0.1:%d", e.p.Ready.Port), "PORT", fmt.Sprint(e.p.Ready.Port),
		"TOKEN", apptest.Token, "SHORT", apptest.Token[:len(apptest.Token)-1],
		"LENGTH", fmt.Sprint(len(body))).Replace(text)
}

// dial connects to the sidecar as anybody on the machine may.
func (e *scene) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", e.p.Ready.Port))
	if err != nil {
		t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(apptest.Patience))
	t.Cleanup(func() { conn.Close() })
	return conn
}

// stillServes fails the test when the sidecar has lost more than the one
// connection.
func (e *scene) stillServes(t *testing.T) {
	t.Helper()
	status, _, body := e.raw(t, "GET /health HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n")
	if status != http.StatusOK || !e.p.Running() {
		t.Errorf("the sidecar does not answer any more: %d %s", status, body)
	}
}

// hugeBody: a body over the limit is refused, and none of it is kept.
func (e *scene) hugeBody(t *testing.T) {
	t.Helper()
	conn := e.dial(t)
	const size = 64 << 20
	before := rss(e.p.PID)
	head := strings.Replace(strings.TrimSuffix(post, "BODY"), "LENGTH", fmt.Sprint(size), 1)
	io.WriteString(conn, e.spell(head))
	chunk := make([]byte, 64<<10)
	for range size / len(chunk) {
		if _, err := conn.Write(chunk); err != nil {
			break // it has closed, as it may
		}
	}
	if grown := rss(e.p.PID) - before; grown > size/2 {
		t.Errorf("the sidecar has grown by %d MiB", grown>>20)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil && resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("answered with %d", resp.StatusCode)
	}
	e.stillServes(t)
}

// gzipBody: a body that says it is compressed is not unpacked.
func (e *scene) gzipBody(t *testing.T) {
	t.Helper()
	var b strings.Builder
	z := gzip.NewWriter(&b)
	zeros := make([]byte, 1<<20)
	for range 1 << 10 { // a gigabyte
		if _, err := z.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	text := strings.Replace(post, "Content-Type", "Content-Encoding: gzip\nContent-Type", 1)
	before := rss(e.p.PID)
	status, _, body := e.raw(t, strings.Replace(text, "BODY", b.String(), 1))
	if status != http.StatusBadRequest || !strings.Contains(body, "-32700") {
		t.Errorf("answered with %d %s", status, body)
	}
	if grown := rss(e.p.PID) - before; grown > 256<<20 {
		t.Errorf("the sidecar has grown by %d MiB", grown>>20)
	}
	e.stillServes(t)
}
