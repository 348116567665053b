package proto_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/pillion-browser/pillion/proto"
)

var update = flag.Bool("update", false, "write the golden files anew")

const (
	wireDir  = "../testdata/wire"
	token    = "browser-token-0123456789abcdef0123456789"
	recToken = "recording-token-0123456789abcdef01234567"
)

// parseURL is a URLParser over the parser that the product uses.
func parseURL(raw string) (proto.URL, error) {
	u, err := whatwg.Parse(raw)
	if err != nil {
		return proto.URL{}, err
	}
	origin := "null"
	if u.Scheme() == "http" || u.Scheme() == "https" {
		origin = u.Scheme() + "://" + u.Host()
	}
	return proto.URL{
		Scheme: u.Scheme(), Host: u.Host(), Port: u.Port(), Hostname: u.Hostname(),
		Path: u.Pathname(), Query: u.Query(), Fragment: u.Fragment(),
		Username: u.Username(), Password: u.Password(), Origin: origin, Href: u.Href(false),
	}, nil
}

func decodeLaunch(t testing.TB, text string) (proto.Launch, []proto.Warning, error) {
	t.Helper()
	return proto.DecodeLaunch([]byte(text), parseURL)
}

// with is the smallest good config with keys set; a nil value takes one away.
func with(pairs ...any) string {
	doc := map[string]any{"app_url": "http://127.0.0.1:3000/some/path", "token": token}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == nil {
			delete(doc, pairs[i].(string))
			continue
		}
		doc[pairs[i].(string)] = pairs[i+1]
	}
	data, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return string(data)
}

type object = map[string]any

var null = json.RawMessage("null")

// golden compares data with a file of testdata/wire, and writes it with -update.
func golden(t *testing.T, name string, data []byte) {
	t.Helper()
	path := filepath.Join(wireDir, name)
	if *update {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := readGolden(t, name); !bytes.Equal(data, want) {
		t.Errorf("%s:\n got %s\nwant %s", name, data, want)
	}
}

func readGolden(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(wireDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type encoder interface{ Encode() ([]byte, error) }

// lines encodes messages, each with its newline.
func lines(t testing.TB, messages ...encoder) []byte {
	t.Helper()
	var buf bytes.Buffer
	for _, m := range messages {
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(data, "\n\r") {
			t.Fatalf("a message is more than one line: %q", data)
		}
		fmt.Fprintf(&buf, "%s\n", data)
	}
	return buf.Bytes()
}

// wantCode fails the test unless err is an *Error of this code in a chain.
func wantCode(t testing.TB, err error, code proto.Code) {
	t.Helper()
	if !errors.Is(err, code) || proto.CodeOf(err) != code {
		t.Errorf("got error %v (code %q), want code %q", err, proto.CodeOf(err), code)
	}
}

func ptr[T any](v T) *T { return &v }
