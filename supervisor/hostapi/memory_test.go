package hostapi_test

import (
	"net/http/httptest"
	"testing"

	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

func TestLoopbackUser(t *testing.T) {
	t.Parallel()
	me := hostapi.Identity{Owner: "me"}
	for _, test := range []struct {
		peer, host, header string
		in                 bool
	}{
		{"127.0.0.1:9", "localhost:80", "", true},
		{"127.0.0.1:9", "127.0.0.1", "", true},
		{"[::1]:9", "[::1]:80", "", true},
		{"10.0.0.7:9", "localhost:80", "", false},
		{"127.0.0.1:9", "rebound.example:80", "", false},
		{"127.0.0.1:9", "localhost:80", "X-Forwarded-For", false},
		{"127.0.0.1:9", "localhost:80", "Forwarded", false},
		{"127.0.0.1:9", "localhost:80", "X-Forwarded-Host", false},
		{"127.0.0.1:9", "localhost:80", "X-Forwarded-Proto", false},
		{"127.0.0.1:9", "localhost:80", "X-Real-Ip", false},
		{"127.0.0.1:9", "localhost:80", "Via", false},
		{"[::1]:9", "[::1]", "", true},
		{"[::1]:9", "[2001:db8::1]", "", false},
		{"", "localhost:80", "", false},
	} {
		r := httptest.NewRequest("GET", "/api/sandboxes", nil)
		r.RemoteAddr, r.Host = test.peer, test.host
		if test.header != "" {
			// Some proxies add a line of theirs behind that of the stranger.
			r.Header[test.header] = []string{"", "for=10.0.0.7"}
		}
		who, err := hostapi.LoopbackUser{Identity: me}.Authenticate(r)
		if (err == nil) != test.in || test.in && who != me {
			t.Errorf("%+v: %+v, %v", test, who, err)
		}
	}
}
