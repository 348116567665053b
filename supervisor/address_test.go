package supervisor

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

func TestDialable(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"": "127.0.0.1:80", "0.0.0.0": "127.0.0.1:80", "::": "[::1]:80", "[::]": "[::1]:80", "::1": "[::1]:80",
		"[::1]": "[::1]:80", "10.0.0.7": "10.0.0.7:80", "sidecar.internal": "sidecar.internal:80",
	} {
		if got := dialable(host, 80); got != want {
			t.Errorf("%q: %s, want %s", host, got, want)
		}
	}
}

// otherNetwork is where loopback addresses of the host have another name.
type otherNetwork struct{}

func (otherNetwork) Start(context.Context, []string, []byte) (Process, error) {
	return nil, errors.New("not here")
}
func (otherNetwork) ChildAddr(addr string) (string, error) {
	if addr == "127.0.0.1:3000" {
		return "host.internal:3000", nil
	}
	return addr, nil
}
func (otherNetwork) Diagnose(context.Context) string { return "" }

func TestTranslate(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"http://127.0.0.1:3000/a?b#c": "http://host.internal:3000/a?b#c",
		"https://example.com/x":       "https://example.com/x",
		"not a url at all":            "not a url at all",
		"http://%zz":                  "http://%zz",
		"":                            "",
	} {
		if got, err := translate(otherNetwork{}, from); got != want || err != nil {
			t.Errorf("%q: %q, %v", from, got, err)
		}
	}
}

func TestTranslateAllowed(t *testing.T) {
	t.Parallel()
	origins := []proto.AllowedOrigin{{Origin: "https://login.example.com"}, {Origin: "http://127.0.0.1:3000"}}
	hosts := []proto.AllowedHost{{Host: "cdn.example.com"}, {Host: "*.example.com", Port: 3000}, {Host: "127.0.0.1", Port: 3000}, {Host: "[::1]", Port: 4000}}
	gotOrigins, err := translateOrigins(otherNetwork{}, origins)
	if err != nil {
		t.Fatal(err)
	}
	gotHosts, err := translateHosts(otherNetwork{}, hosts)
	if err != nil {
		t.Fatal(err)
	}
	wantOrigins := []proto.AllowedOrigin{origins[0], {Origin: "http://host.internal:3000", Private: true}}
	wantHosts := []proto.AllowedHost{hosts[0], hosts[1], {Host: "host.internal", Port: 3000, Private: true}, hosts[3]}
	if !slices.Equal(gotOrigins, wantOrigins) || !slices.Equal(gotHosts, wantHosts) {
		t.Errorf("%+v, %+v", gotOrigins, gotHosts)
	}
	if origins[1].Private || hosts[2].Private {
		t.Error("the host's own launch was changed")
	}
}
