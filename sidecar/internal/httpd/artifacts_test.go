package httpd

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestArtifacts(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"page.png": "picture", "page.svg": "<svg onload=alert(1)>", "re port.html": "<script>", "注文書.TXT": "text", "empty": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var asked []string
	h := newHarness(t, Options{Artifacts: func(name string) (*os.File, error) {
		mu.Lock()
		asked = append(asked, name)
		mu.Unlock()
		if strings.Contains(name, "/") {
			return nil, fs.ErrNotExist
		}
		return os.Open(filepath.Join(dir, name))
	}})
	const (
		binary = "application/octet-stream"
		text   = "text/plain; charset=utf-8"
	)
	for _, c := range []struct {
		line, typ, body, name string
	}{
		{"GET /artifacts/page.png HTTP/1.1", "image/png", "picture", "page.png"},
		{"GET /artifacts/page.png?x=1 HTTP/1.1", "image/png", "picture", "page.png"},
		{"GET /artifacts/page%2Epng HTTP/1.1", "image/png", "picture", "page.png"},
		{"GET /artifacts/page.svg HTTP/1.1", binary, "<svg onload=alert(1)>", "page.svg"},
		{"GET /artifacts/re%20port.html HTTP/1.1", binary, "<script>", "re%20port.html"},
		{"GET /artifacts/%E6%B3%A8%E6%96%87%E6%9B%B8.TXT HTTP/1.1", text, "text", "%E6%B3%A8%E6%96%87%E6%9B%B8.TXT"},
		{"GET /artifacts/empty HTTP/1.1", binary, "", "empty"},
	} {
		status, body, header := h.ask(c.line, hostLine, tokenLine)
		if status != 200 || body != c.body {
			t.Errorf("%s: %d %q", c.line, status, body)
		}
		for name, want := range map[string]string{
			"Content-Type": c.typ, "Content-Length": strconv.Itoa(len(c.body)), "Content-Disposition": "attachment; filename*=UTF-8''" + c.name,
			"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "", "Content-Security-Policy": "sandbox; default-src 'none'",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", c.line, name, got, want)
			}
		}
	}
	for line, want := range map[string]int{
		"GET /artifacts/ HTTP/1.1": 404, "GET /artifacts HTTP/1.1": 404, "GET /artifacts/none.png HTTP/1.1": 404,
		"GET /artifacts/%zz HTTP/1.1": 400, "GET /artifacts/../page.png HTTP/1.1": 404, "GET /artifacts/%2e%2e%2fpage.png HTTP/1.1": 404,
		"GET /artifacts/a%00b HTTP/1.1": 404, "POST /artifacts/page.png HTTP/1.1": 404, "HEAD /artifacts/page.png HTTP/1.1": 404,
		"PUT /artifacts/page.png HTTP/1.1": 404, "DELETE /artifacts/page.png HTTP/1.1": 404, "GET /Artifacts/page.png HTTP/1.1": 404,
	} {
		if status, body, _ := h.ask(line, hostLine, tokenLine); status != want {
			t.Errorf("%s: %d %q", line, status, body)
		}
	}
	before := len(asked)
	for _, headers := range [][]string{{hostLine}, {hostLine, tokenLine + "x"}, {"Host: evil.test", tokenLine}, {hostLine, tokenLine, "Origin: http://HOST"}} {
		if status, body, _ := h.ask(append([]string{"GET /artifacts/page.png HTTP/1.1"}, headers...)...); status != 401 && status != 403 {
			t.Errorf("%q: %d %q", headers, status, body)
		}
	}
	if status, _, _ := h.ask("GET /artifacts/page.png?token=TOKEN HTTP/1.1", hostLine); status != 401 {
		t.Errorf("a token in the address: %d", status)
	}
	if len(asked) != before {
		t.Error("files are looked for before the guard")
	}
	if status, _, _ := newHarness(t, Options{}).ask("GET /artifacts/page.png HTTP/1.1", hostLine, tokenLine); status != 404 {
		t.Errorf("without files: %d", status)
	}
}

// A file that is shorter than it was announced must not be taken for whole.
func TestAnArtifactThatShrinksCutsTheConnection(t *testing.T) {
	name := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(name, make([]byte, 32<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	h := newHarness(t, Options{Artifacts: func(string) (*os.File, error) { return os.Open(name) }})
	conn := h.dial()
	if _, err := conn.Write([]byte(h.fill("GET /artifacts/large HTTP/1.1\n" + hostLine + "\n" + tokenLine + "\n\n"))); err != nil {
		t.Fatal(err)
	}
	// Its beginning is on the way, the rest waits for a reader.
	head := make([]byte, 1024)
	if _, err := conn.Read(head); err != nil || !strings.Contains(string(head), "Content-Length: 33554432") {
		t.Fatalf("%v, %q", err, head)
	}
	if err := os.Truncate(name, 1<<20); err != nil {
		t.Fatal(err)
	}
	total := 0
	buf := make([]byte, 1<<20)
	for {
		n, err := conn.Read(buf)
		total += n
		if err != nil {
			break
		}
	}
	if total >= 32<<20 {
		t.Errorf("%d bytes came", total)
	}
}
