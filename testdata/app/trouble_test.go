package app_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/pillion-browser/pillion/testdata/app"
)

func TestRedirects(t *testing.T) {
	v := visit(t)
	for _, code := range []string{"301", "302", "303", "307", "308"} {
		for _, to := range []string{"/lab", "http://evil.test/", "file:///etc/passwd", "data:text/html,hi", "//evil.test"} {
			resp := v.raw("POST", "/redirect/"+code+"?to="+url.QueryEscape(to))
			if resp.Header.Get("Location") != to || !strings.HasPrefix(resp.Status, code) {
				t.Errorf("%s to %s: %s, %q", code, to, resp.Status, resp.Header.Get("Location"))
			}
		}
	}
	if h := v.raw("GET", "/redirect/302?to=a%0d%0aX-Injected:%201").Header; h.Get("X-Injected") != "" {
		t.Error("a header was injected")
	}
	if _, at, _ := v.get("/redirect/chain?n=6&to=/lab"); at != "/lab" || v.app.Hits("/redirect/chain") != 6 {
		t.Errorf("chain of 6 ends at %s after %d hops", at, v.app.Hits("/redirect/chain"))
	}
	if _, err := v.http.Get(v.base + "/redirect/loop"); err == nil {
		t.Error("the loop ended")
	}
	if h := v.raw("GET", "/redirect/header?to=/lab").Header; h.Get("Refresh") != "0; url=/lab" {
		t.Errorf("Refresh: %q", h.Get("Refresh"))
	}
	_, _, body := v.get("/redirect/meta?to=/lab")
	wantText(t, body, `<meta http-equiv="refresh" content="0;url=/lab">`)
	resp, err := v.http.Post(v.base+"/redirect/307", "text/plain", strings.NewReader("kept"))
	if err != nil {
		t.Fatal(err)
	}
	_, _, body = v.read(resp)
	wantText(t, body, "<h1>Landed</h1>", "<dd>POST</dd>", "<dd>kept</dd>")
}

func TestBrokenAnswers(t *testing.T) {
	v := visit(t)
	for _, code := range []int{404, 500, 503} {
		if resp := v.raw("GET", fmt.Sprint("/broken/status?code=", code)); resp.StatusCode != code {
			t.Errorf("status %d, want %d", resp.StatusCode, code)
		}
	}
	for _, path := range []string{"/broken/reset", "/broken/truncated", "/broken/close", "/broken/garbage"} {
		resp, err := http.DefaultTransport.RoundTrip(request(t, v.base+path))
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if err == nil {
			t.Errorf("%s answered in good order", path)
		}
		if path == "/broken/reset" && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("%s ends with %v, not with a reset", path, err)
		}
	}
	if _, _, body := v.get("/broken/empty"); body != "" {
		t.Errorf("the empty page holds %q", body)
	}
}

func request(t *testing.T, target string) *http.Request {
	t.Helper()
	req, err := http.NewRequest("GET", target, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func TestSlowPageDribbles(t *testing.T) {
	v := visit(t)
	begin := time.Now()
	_, _, body := v.get("/slow?headers=100ms&body=200ms&chunks=4")
	if took := time.Since(begin); took < 300*time.Millisecond {
		t.Errorf("all of it came after %v", took)
	}
	wantText(t, body, "Part 4 of 4", "Everything arrived.")
	_, _, body = v.get("/slow/image?for=10ms")
	if http.DetectContentType([]byte(body)) != "image/gif" || !strings.HasSuffix(body, ";") {
		t.Errorf("picture: %q", body)
	}
}

// TestCloseEndsWhatWaits has a picture, an event stream, a slow page and a
// socket open while the app closes.
func TestCloseEndsWhatWaits(t *testing.T) {
	a := app.New()
	srv := httptest.NewServer(a)
	defer srv.Close()
	ended := make(chan string, 3)
	for _, path := range []string{"/slow/image?for=0", "/events/stream", "/slow?headers=2m"} {
		go func() {
			resp, err := http.Get(srv.URL + path)
			if err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			ended <- path
		}()
	}
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(srv.URL, "http")+"/ws?greet=hello", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, data, err := conn.ReadMessage(); err != nil || string(data) != "hello" {
		t.Fatalf("greeting: %q, %v", data, err)
	}
	for a.Hits("/slow/image")+a.Hits("/events/stream")+a.Hits("/slow") < 3 {
		time.Sleep(time.Millisecond)
	}
	if a.Open("ws") != 1 {
		t.Errorf("%d sockets open", a.Open("ws"))
	}
	a.Close()
	a.Close()
	if a.Open("ws")+a.Open("sse") != 0 {
		t.Error("Close returned before the connections were gone")
	}
	if _, _, err := conn.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("socket ends with %v", err)
	}
	for range 3 {
		<-ended
	}
	resp, err := http.Get(srv.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("after Close: status %d", resp.StatusCode)
	}
}

func TestSocketEchoesAndCloses(t *testing.T) {
	v := visit(t)
	to := "ws" + strings.TrimPrefix(v.base, "http")
	conn, _, err := websocket.DefaultDialer.Dial(to+"/ws", http.Header{"Origin": {"http://elsewhere.test"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for kind, text := range map[int]string{websocket.TextMessage: "text", websocket.BinaryMessage: "\x00\xff"} {
		conn.WriteMessage(kind, []byte(text))
		k, data, err := conn.ReadMessage()
		if err != nil || k != kind || string(data) != text {
			t.Errorf("sent %q, got %q (%d, %v)", text, data, k, err)
		}
	}
	conn, _, err = websocket.DefaultDialer.Dial(to+"/ws?close=4001", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, _, err := conn.ReadMessage(); !websocket.IsCloseError(err, 4001) {
		t.Errorf("asked for 4001, got %v", err)
	}
}

func TestEventStreamAndStatus(t *testing.T) {
	v := visit(t)
	_, _, body := v.get("/events/stream?every=1ms&n=3")
	wantText(t, body, "id: 3\nevent: tick\ndata: tick 3\n\n", "event: done")
	for code, want := range map[string]int{"404": 404, "204": 204, "304": 304, "99": 200, "": 200} {
		if resp := v.raw("GET", "/api/status?code="+code); resp.StatusCode != want {
			t.Errorf("code %q: status %d", code, resp.StatusCode)
		}
	}
	_, _, body = v.get("/api/echo?a=1")
	wantText(t, body, `"method":"GET"`, `"a":["1"]`)
}
