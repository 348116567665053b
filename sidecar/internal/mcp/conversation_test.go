package mcp

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// A conversation is a txtar file: sections of what a client sends ("> METHOD"
// and optionally the session, then headers as name=value) and of what it is answered ("<"), in turn.
// An answer is a status, header lines and a body. SESSION stands for the id of
// the session that was opened last.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/conversation/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			h := newHarness(t, Options{}, nil)
			converse(t, h, txtar.Parse(data).Files)
		})
	}
}

var sessionID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func converse(t *testing.T, h *harness, sections []txtar.File) {
	t.Helper()
	session := ""
	for i := 0; i+1 < len(sections); i += 2 {
		ask, answer := sections[i], sections[i+1]
		fields := strings.Fields(ask.Name)
		if fields[0] != ">" || answer.Name != "<" {
			t.Fatalf("sections %d: want > and <, got %q and %q", i, ask.Name, answer.Name)
		}
		header := http.Header{}
		for _, field := range fields[2:] {
			if name, value, named := strings.Cut(field, "="); named {
				header.Set(name, value)
			} else {
				header.Set(sessionHeader, strings.ReplaceAll(field, "SESSION", session))
			}
		}
		got, err := h.send(context.Background(), fields[1], header, strings.TrimSuffix(string(ask.Data), "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got.session != "" {
			if !sessionID.MatchString(got.session) {
				t.Errorf("session id %q is no UUID of version 4", got.session)
			}
			session = got.session
		}
		if d := cmp.Diff(string(answer.Data), render(got)); d != "" {
			t.Errorf("%s %s\nanswer (-want +got):\n%s", ask.Name, ask.Data, d)
		}
	}
}

// render writes an answer as a conversation has it.
func render(a answered) string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(a.status) + "\n")
	if a.session != "" {
		b.WriteString(sessionHeader + ": SESSION\n")
	}
	if allow := a.header.Get("Allow"); allow != "" {
		b.WriteString("Allow: " + allow + "\n")
	}
	if a.body != "" {
		b.WriteString(a.body + "\n")
	}
	return b.String()
}

// Each answer carries the same headers, bodies or not.
func TestHeaders(t *testing.T) {
	h := newHarness(t, Options{}, nil)
	session := h.open()
	for _, c := range []struct{ method, session, body string }{
		{"POST", "", initializeBody},
		{"POST", session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{"POST", session, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
		{"POST", session, `nonsense`},
		{"GET", session, ``},
		{"DELETE", session, ``},
		{"DELETE", session, ``},
	} {
		a, err := h.do(context.Background(), c.method, c.session, c.body)
		if err != nil {
			t.Fatal(err)
		}
		want := http.Header{
			"Content-Type":   {"application/json"},
			"Cache-Control":  {"no-store"},
			"Content-Length": {strconv.Itoa(len(a.body))},
		}
		for k, v := range want {
			if d := cmp.Diff(v, a.header[k]); d != "" {
				t.Errorf("%s %s: %s (-want +got):\n%s", c.method, c.body, k, d)
			}
		}
	}
}
