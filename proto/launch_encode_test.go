package proto_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
)

// fullLaunch sets every field to something that is not its default.
func fullLaunch() proto.Launch {
	return proto.Launch{
		Mode:         proto.Headed,
		Capabilities: []string{"testing", "vision", "pdf"},
		AllowedHosts: []string{"browser.example:8443"},
		Port:         4711,
		Workdir:      "/srv/sandbox/browser-1a2b3c4d",
		AppURL:       "http://app.shop.test:8080",
		StorageState: fullState(),
		Token:        proto.NewSecret(token),
		Host:         "0.0.0.0",
		StopAt:       ptr(1800000000000.0),
		Recording: &proto.Recording{
			URL: "https://dash.example/ingest/7?a=b&c", Token: proto.NewSecret(recToken), BatchEvents: 500, BatchBytes: 65536,
			Actions: true, SpoolBytes: 1 << 26,
		},
		Live: &proto.Live{
			SessionID: "11111111-2222-4333-8444-555555555555", Origins: []string{"https://dash.example", "http://localhost:3000"},
			AgentWaitMS: 45000, ReleaseGraceMS: 500,
		},
		DisableChromiumSandbox: true,
		Lifeline:               true,
		ChromiumPath:           "/usr/lib/chromium/chromium",
		Chromium:               proto.ChromiumFull,
		Viewport:               proto.Viewport{Width: 1024, Height: 768},

		Snapshot: proto.SnapshotChanges, SnapshotMaxChars: 30000, ScreenshotMaxEdge: 1568, Metrics: true,

		Egress: proto.EgressAllowList,
		AllowOrigins: []proto.AllowedOrigin{
			{Origin: "https://login.shop.test"}, {Origin: "http://assets.corp.test:5173", Private: true},
		},
		AllowHosts: []proto.AllowedHost{
			{Host: "cdn.example.com"}, {Host: "*.example.com", Port: 8443}, {Host: "[::1]", Port: 4000},
			{Host: "db.corp.test", Port: 8080, Private: true},
		},
		AppCA: testCertificate,
	}
}

func fullState() proto.StorageState {
	return proto.StorageState{
		Cookies: []proto.Cookie{
			{Name: "session", Value: "a=b; \"c\" <d>", Domain: ".shop.test", Path: "/", Expires: -1, HTTPOnly: true, Secure: false, SameSite: "Lax"},
			{Name: "seen", Value: "木", Domain: "app.shop.test", Path: "/x", Expires: 1800000000.5, Secure: true, SameSite: "None"},
		},
		Origins: []proto.OriginState{{
			Origin:       "http://app.shop.test:8080",
			LocalStorage: []proto.NameValue{{Name: "theme", Value: "dark"}, {Name: "", Value: ""}},
		}},
	}
}

func roundTrip(t *testing.T, l proto.Launch) proto.Launch {
	t.Helper()
	data, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsAny(data, "\n\r") {
		t.Errorf("a config is more than one line: %s", data)
	}
	got, warnings, err := proto.DecodeLaunch(data, parseURL)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("%s: %v %v", data, err, warnings)
	}
	return got
}

func TestLaunchGolden(t *testing.T) {
	for name, l := range map[string]proto.Launch{
		"launch-minimal.json": {AppURL: "http://127.0.0.1:3000", Token: proto.NewSecret(token)},
		"launch-full.json":    fullLaunch(),
	} {
		golden(t, name, lines(t, l))
		got, warnings, err := proto.DecodeLaunch(readGolden(t, name), parseURL)
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		if diff := cmp.Diff(l.WithDefaults(), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The config that the original's own host writes: no key of ours in it.
func TestLaunchOfTheOriginalsHost(t *testing.T) {
	got, warnings, err := proto.DecodeLaunch(readGolden(t, "launch-original.json"), parseURL)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := proto.Launch{
		AppURL: "http://127.0.0.1:3000", Token: proto.NewSecret("aabrw_9fQ2mXcT7bLkR4vNs8WyZe3HpJdGu6Ka5tBrMqVo"),
		Mode: proto.Headless, Capabilities: []string{"testing"}, Workdir: "/srv/sandboxes/7/browser-1a2b3c4d",
		StopAt: ptr(1800000000000.0),
		Recording: &proto.Recording{
			URL: "http://127.0.0.1:3001/recordings/7/events", Token: proto.NewSecret("aarec_5tBrMqVo9fQ2mXcT7bLkR4vNs8WyZe3H"),
			BatchEvents: 1000, BatchBytes: 1048576,
		},
		Live: &proto.Live{SessionID: "11111111-2222-4333-8444-555555555555", Origins: []string{"http://localhost:3001"}},
	}
	if diff := cmp.Diff(want.WithDefaults(), got); diff != "" {
		t.Error(diff)
	}
}

func TestLaunchDefaultsAreNotWritten(t *testing.T) {
	data, err := proto.Launch{AppURL: "http://a.test", Token: proto.NewSecret(token)}.Encode()
	if want := `{"app_url":"http://a.test","token":"` + token + `"}`; err != nil || string(data) != want {
		t.Errorf("got %s, %v", data, err)
	}
}

// Zero values in the structs of a host mean the defaults, not zero.
func TestLaunchZeroValues(t *testing.T) {
	l := proto.Launch{
		AppURL: "http://a.test", Token: proto.NewSecret(token),
		Live:      &proto.Live{SessionID: "s", Origins: []string{"http://b.test"}},
		Recording: &proto.Recording{URL: "http://c.test/", Token: proto.NewSecret(recToken)},
		Viewport:  proto.Viewport{Width: 300},
	}
	got := roundTrip(t, l)
	if got.DisableChromiumSandbox || got.Live.AgentWaitMS != 20000 || got.Live.ReleaseGraceMS != 10000 ||
		got.Recording.BatchEvents != 1000 || got.Recording.BatchBytes != 1048576 || got.Viewport != (proto.Viewport{Width: 300, Height: 800}) {
		t.Errorf("got %#v %+v %+v %+v", got, got.Live, got.Recording, got.Viewport)
	}
	if l.Live.AgentWaitMS != 0 || l.Recording.BatchEvents != 0 {
		t.Error("filling in defaults changed the host's own launch")
	}
	l.Live.AgentWaitMS = proto.NoAgentWait
	if got := roundTrip(t, l); got.Live.AgentWaitMS != proto.NoAgentWait || got.Live.AgentWait() != 0 {
		t.Errorf("no wait became %d", got.Live.AgentWaitMS)
	}
}

func TestLiveDurations(t *testing.T) {
	var l proto.Live
	if l.AgentWait() != 20*time.Second || l.ReleaseGrace() != 10*time.Second {
		t.Errorf("defaults are %v and %v", l.AgentWait(), l.ReleaseGrace())
	}
	l = proto.Live{AgentWaitMS: 1500, ReleaseGraceMS: 1}
	if l.AgentWait() != 1500*time.Millisecond || l.ReleaseGrace() != time.Millisecond {
		t.Errorf("got %v and %v", l.AgentWait(), l.ReleaseGrace())
	}
}

// Whatever a valid launch holds, the sidecar reads what the host wrote.
func TestLaunchRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		l := randomLaunch(r)
		if diff := cmp.Diff(l.WithDefaults(), roundTrip(t, l)); diff != "" {
			t.Fatal(diff)
		}
		// A launch with its defaults filled in is a fixed point.
		d := l.WithDefaults()
		if diff := cmp.Diff(d, roundTrip(t, d)); diff != "" {
			t.Fatal(diff)
		}
	}
}

func randomLaunch(r *rand.Rand) proto.Launch {
	coin := func() bool { return r.IntN(2) == 0 }
	text := func(n int) string {
		const letters = "abcXYZ019_-<>&\"\\/'\u00e4\u2028\U0001F600{}[]:,"
		runes := []rune(letters)
		out := make([]rune, n)
		for i := range out {
			out[i] = runes[r.IntN(len(runes))]
		}
		return string(out)
	}
	secret := func() proto.Secret {
		return proto.NewSecret(strings.ReplaceAll(text(40), "\u2028", "x"))
	}
	l := proto.Launch{AppURL: fmt.Sprintf("http://app%d.test:%d", r.IntN(9), 1000+r.IntN(9)), Token: secret()}
	if coin() {
		l.Mode = []proto.Mode{proto.Headless, proto.Headed}[r.IntN(2)]
	}
	if coin() {
		l.Capabilities = []string{"pdf", "testing"}[:1+r.IntN(2)]
	}
	if coin() {
		l.AllowedHosts = []string{"a:1", "[::1]:2"}[:1+r.IntN(2)]
	}
	if coin() {
		l.Port, l.Workdir, l.Host = r.IntN(65536), text(9), text(5)
	}
	if coin() {
		l.StopAt = ptr(r.NormFloat64() * 1e12)
	}
	if coin() {
		host := strings.TrimPrefix(l.AppURL, "http://")
		host = host[:strings.Index(host, ":")]
		l.StorageState = proto.StorageState{
			Cookies: []proto.Cookie{{Name: text(3), Value: text(9), Domain: host, Path: "/" + text(2), Expires: float64(r.Int32()), Secure: coin(), HTTPOnly: coin(), SameSite: "Strict"}},
			Origins: []proto.OriginState{{Origin: l.AppURL, LocalStorage: []proto.NameValue{{Name: text(4), Value: text(30)}}}},
		}
	}
	if coin() {
		l.Recording = &proto.Recording{URL: "https://r.test/x?y", Token: secret(), BatchEvents: r.IntN(3), BatchBytes: r.IntN(1 << 20), Video: coin(), VideoTakeovers: coin()}
	} else if coin() {
		l.Recording = &proto.Recording{File: text(5) + "x", Actions: coin()}
	}
	if coin() {
		l.Live = &proto.Live{SessionID: text(12), Origins: []string{"https://d.test"}, AgentWaitMS: r.IntN(45002) - 1, ReleaseGraceMS: r.IntN(9)}
	}
	l.DisableChromiumSandbox, l.Lifeline = coin(), coin()
	l.IgnoreHTTPSErrors, l.Metrics = coin(), coin()
	if coin() {
		l.Egress = []proto.Egress{proto.EgressOpen, proto.EgressAllowList}[r.IntN(2)]
		l.AllowOrigins = []proto.AllowedOrigin{{Origin: fmt.Sprintf("https://o%d.test", r.IntN(9)), Private: coin()}}
		l.AllowHosts = []proto.AllowedHost{{Host: "h.test", Port: 1 + r.IntN(65535), Private: coin()}, {Host: "*.h.test"}}
	}
	if coin() {
		l.Chromium, l.ChromiumPath = "shell", text(8)
		l.Viewport = proto.Viewport{Width: r.IntN(10001), Height: r.IntN(10001)}
		l.Snapshot, l.SnapshotMaxChars, l.ScreenshotMaxEdge = proto.SnapshotNone, 1000+r.IntN(1000), 64+r.IntN(1000)
	}
	return l
}

// A launch leaves the process through Encode and by no other way.
func TestLaunchCannotLeak(t *testing.T) {
	l := fullLaunch()
	secrets := []string{token, recToken, "a=b;", "dark"}
	var shown []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shown = append(shown, fmt.Sprintf(verb, l), fmt.Sprintf(verb, &l), fmt.Sprintf(verb, []proto.Launch{l}),
			fmt.Sprintf(verb, struct{ L proto.Launch }{l}), fmt.Sprintf(verb, l.StorageState),
			fmt.Sprintf(verb, l.StorageState.Cookies), fmt.Sprintf(verb, l.StorageState.Origins))
	}
	for _, handler := range []func(*bytes.Buffer) slog.Handler{
		func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
	} {
		var buf bytes.Buffer
		slog.New(handler(&buf)).Info("start", "launch", l, "pointer", &l, "inside", struct{ L proto.Launch }{l}, "recording", l.Recording)
		shown = append(shown, buf.String())
	}
	data, err := json.Marshal(l)
	if err == nil {
		t.Errorf("json.Marshal wrote %s", data)
	}
	data, err = json.Marshal(l.Recording)
	if err == nil {
		t.Errorf("json.Marshal wrote %s", data)
	}
	shown = append(shown, string(data), err.Error())
	for _, s := range shown {
		for _, secret := range secrets {
			if strings.Contains(s, secret) {
				t.Errorf("%q is shown in %s", secret, s)
			}
		}
	}
	if s := l.String(); !strings.Contains(s, "http://app.shop.test:8080") || !strings.Contains(s, "sandbox off") {
		t.Errorf("the summary is %s", s)
	}
}
