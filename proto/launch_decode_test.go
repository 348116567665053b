package proto_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
)

// minimal is what the smallest config means.
func minimal() proto.Launch {
	return proto.Launch{AppURL: "http://127.0.0.1:3000", Token: proto.NewSecret(token)}.WithDefaults()
}

func TestDecodeLaunchMinimal(t *testing.T) {
	got, warnings, err := decodeLaunch(t, with())
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := proto.Launch{
		Mode: proto.Headless, AppURL: "http://127.0.0.1:3000", Token: proto.NewSecret(token),
		Host: "127.0.0.1", Chromium: "auto", Viewport: proto.Viewport{Width: 1280, Height: 800},
		Snapshot: "full", SnapshotMaxChars: 100000, ScreenshotMaxEdge: 8000, Egress: "open",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeLaunchAccepts(t *testing.T) {
	live := func(pairs ...any) object {
		o := object{"session_id": "s", "origins": []any{"https://dash.example"}}
		for i := 0; i < len(pairs); i += 2 {
			o[pairs[i].(string)] = pairs[i+1]
		}
		return o
	}
	recording := func(pairs ...any) object {
		o := object{"url": "http://127.0.0.1:4000/a b?c=d#e", "token": recToken}
		for i := 0; i < len(pairs); i += 2 {
			o[pairs[i].(string)] = pairs[i+1]
		}
		return o
	}
	wantLive := proto.Live{SessionID: "s", Origins: []string{"https://dash.example"}, AgentWaitMS: 20000, ReleaseGraceMS: 10000, MaxViewers: 8}
	tests := []struct {
		name string
		text string
		want func(*proto.Launch)
	}{
		{"headed", with("mode", "headed"), func(l *proto.Launch) { l.Mode = proto.Headed }},
		{"capabilities twice", with("capabilities", []any{"vision", "testing", "vision"}),
			func(l *proto.Launch) { l.Capabilities = []string{"vision", "testing"} }},
		{"capabilities none", with("capabilities", []any{}), nil},
		{"hosts are lower-cased", with("allowed_hosts", []any{"Dash.Example:8080", "b:1"}),
			func(l *proto.Launch) { l.AllowedHosts = []string{"dash.example:8080", "b:1"} }},
		{"port", with("port", 65535), func(l *proto.Launch) { l.Port = 65535 }},
		{"port as an exponent", strings.Replace(with("port", 77), "77", "1e3", 1), func(l *proto.Launch) { l.Port = 1000 }},
		{"port with a zero fraction", strings.Replace(with("port", 77), "77", "5.0", 1), func(l *proto.Launch) { l.Port = 5 }},
		{"port below zero by sign alone", strings.Replace(with("port", 77), "77", "-0", 1), nil},
		{"sandbox on", with("chromium_sandbox", true), nil},
		{"sandbox off", with("chromium_sandbox", false), func(l *proto.Launch) { l.DisableChromiumSandbox = true }},
		{"workdir", with("workdir", "/srv/x"), func(l *proto.Launch) { l.Workdir = "/srv/x" }},
		{"app in capitals, default port", with("app_url", "HTTP://EXAMPLE.test:80/x?y#z"),
			func(l *proto.Launch) { l.AppURL = "http://example.test" }},
		{"app with a short address", with("app_url", "http://127.1:3000"), nil},
		{"token of 32", with("token", strings.Repeat("x", 32)),
			func(l *proto.Launch) { l.Token = proto.NewSecret(strings.Repeat("x", 32)) }},
		{"token of 16 characters that are two units each", with("token", strings.Repeat("😀", 16)),
			func(l *proto.Launch) { l.Token = proto.NewSecret(strings.Repeat("😀", 16)) }},
		{"token with U+0085, which is no white space", with("token", token+"\u0085"),
			func(l *proto.Launch) { l.Token = proto.NewSecret(token + "\u0085") }},
		{"host", with("host", "0.0.0.0"), func(l *proto.Launch) { l.Host = "0.0.0.0" }},
		{"stop_at past and fractional", with("stop_at", -1.5), func(l *proto.Launch) { l.StopAt = ptr(-1.5) }},
		{"stop_at ISO", with("stop_at", "2026-11-30T10:00:00.250Z"),
			func(l *proto.Launch) { l.StopAt = ptr(1796032800250.0) }},
		{"every null is absent", with("mode", null, "capabilities", null, "allowed_hosts", null, "port", null,
			"workdir", null, "storage_state", null, "host", null, "stop_at", null, "recording", null, "live", null,
			"lifeline", null, "chromium_path", null, "chromium", null, "viewport", null,
			"snapshot", null, "snapshot_max_chars", null, "screenshot_max_edge", null), nil},
		{"recording", with("recording", recording()), func(l *proto.Launch) {
			l.Recording = &proto.Recording{URL: "http://127.0.0.1:4000/a%20b?c=d#e", Token: proto.NewSecret(recToken), BatchEvents: 1000, BatchBytes: 1 << 20}
		}},
		{"recording limits", with("recording", recording("batch_events", 7, "batch_bytes", 1e300)), func(l *proto.Launch) {
			l.Recording = &proto.Recording{URL: "http://127.0.0.1:4000/a%20b?c=d#e", Token: proto.NewSecret(recToken), BatchEvents: 7, BatchBytes: math.MaxInt32}
		}},
		{"recording of more", with("recording", recording("actions", true, "spool_bytes", 1<<26)), func(l *proto.Launch) {
			l.Recording = &proto.Recording{
				URL: "http://127.0.0.1:4000/a%20b?c=d#e", Token: proto.NewSecret(recToken), BatchEvents: 1000, BatchBytes: 1 << 20,
				Actions: true, SpoolBytes: 1 << 26,
			}
		}},
		{"recording to a file", with("recording", map[string]any{"file": "a/b.pillion", "video": true, "video_takeovers": true, "video_bytes": 1 << 20}), func(l *proto.Launch) {
			l.Recording = &proto.Recording{File: "a/b.pillion", BatchEvents: 1000, BatchBytes: 1 << 20, Video: true, VideoTakeovers: true, VideoBytes: 1 << 20}
		}},
		{"live", with("live", live()), func(l *proto.Launch) { l.Live = ptr(wantLive) }},
		{"live with nulls", with("live", live("agent_wait_ms", nil, "release_grace_ms", nil)),
			func(l *proto.Launch) { l.Live = ptr(wantLive) }},
		{"live times as given", with("live", live("agent_wait_ms", 0, "release_grace_ms", 500)), func(l *proto.Launch) {
			l.Live = ptr(wantLive)
			l.Live.AgentWaitMS, l.Live.ReleaseGraceMS = proto.NoAgentWait, 500
		}},
		{"live bounds", with("live", live("max_hold_ms", 60000, "idle_release_ms", 1, "max_viewers", 100, "viewer", true, "ask_person", true)), func(l *proto.Launch) {
			l.Live = ptr(wantLive)
			l.Live.MaxHoldMS, l.Live.IdleReleaseMS, l.Live.MaxViewers, l.Live.Viewer, l.Live.AskPerson = 60000, 1, 100, true, true
		}},
		{"live longest wait", with("live", live("agent_wait_ms", 45000)), func(l *proto.Launch) {
			l.Live = ptr(wantLive)
			l.Live.AgentWaitMS = 45000
		}},
		{"live origins collapse", with("live", live("origins", []any{"http://localhost:3000/", "HTTP://LOCALHOST:3000", "https://dash.example"})),
			func(l *proto.Launch) {
				l.Live = ptr(wantLive)
				l.Live.Origins = []string{"http://localhost:3000", "https://dash.example"}
			}},
		{"live origins are serialised", with("live", live("origins", []any{"http://127.1:3000", "http://[0:0:0:0:0:0:0:1]:3000", "https://DASH.example:443/"})),
			func(l *proto.Launch) {
				l.Live = ptr(wantLive)
				l.Live.Origins = []string{"http://127.0.0.1:3000", "http://[::1]:3000", "https://dash.example"}
			}},
		{"lifeline", with("lifeline", true), func(l *proto.Launch) { l.Lifeline = true }},
		{"chromium", with("chromium", "full", "chromium_path", "/opt/chrome"), func(l *proto.Launch) {
			l.Chromium, l.ChromiumPath = "full", "/opt/chrome"
		}},
		{"viewport", with("viewport", object{"width": 10000, "height": 1}),
			func(l *proto.Launch) { l.Viewport = proto.Viewport{Width: 10000, Height: 1} }},
		{"half a viewport", with("viewport", object{"height": 600}),
			func(l *proto.Launch) { l.Viewport.Height = 600 }},
		{"snapshot", with("snapshot", "changes", "snapshot_max_chars", 1000, "screenshot_max_edge", 64), func(l *proto.Launch) {
			l.Snapshot, l.SnapshotMaxChars, l.ScreenshotMaxEdge = proto.SnapshotChanges, 1000, 64
		}},
		{"metrics", with("metrics", true), func(l *proto.Launch) { l.Metrics = true }},
		{"the last of two keys wins", `{"port":"x","app_url":"http://127.0.0.1:3000","token":"` + token + `","port":9}`,
			func(l *proto.Launch) { l.Port = 9 }},
		{"white space around", "\r\n\t " + with() + " \n", nil},
		{"storage state of others", with("storage_state", object{
			"cookies": []any{
				object{"name": "a", "value": "1", "domain": "127.0.0.1", "path": ""},
				object{"name": "b", "value": "2", "domain": "example.com", "path": "/"},
			},
			"origins": []any{
				object{"origin": "http://127.0.0.1:3000", "localStorage": []any{object{"name": "k", "value": "v"}}},
				object{"origin": "http://127.0.0.1:3001"},
			},
		}), func(l *proto.Launch) {
			l.StorageState = proto.StorageState{
				Cookies: []proto.Cookie{{Name: "a", Value: "1", Domain: "127.0.0.1", Path: "/", Expires: -1, SameSite: "Lax"}},
				Origins: []proto.OriginState{{Origin: "http://127.0.0.1:3000", LocalStorage: []proto.NameValue{{Name: "k", Value: "v"}}}},
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := decodeLaunch(t, tt.text)
			if err != nil || len(warnings) > 0 {
				t.Fatalf("refused %s: %v %v", tt.text, err, warnings)
			}
			want := minimal()
			if tt.want != nil {
				tt.want(&want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if got.Token.Reveal() != want.Token.Reveal() {
				t.Errorf("token is %q", got.Token.Reveal())
			}
		})
	}
}

func TestDecodeLaunchRefuses(t *testing.T) {
	live := func(key string, v any) string {
		o := object{"session_id": "s", "origins": []any{"https://dash.example"}}
		if v == nil {
			delete(o, key)
		} else {
			o[key] = v
		}
		return with("live", o)
	}
	origin := func(v any) string { return live("origins", []any{"https://dash.example", v}) }
	recording := func(key string, v any) string {
		o := object{"url": "http://127.0.0.1:4000/", "token": recToken}
		if v == nil {
			delete(o, key)
		} else {
			o[key] = v
		}
		return with("recording", o)
	}
	cookie := object{"name": "a", "value": "v", "domain": "127.0.0.1", "path": "/"}
	tests := []struct{ name, text, key string }{
		{"empty", "", "configuration"},
		{"not JSON", "mode: headless", "configuration"},
		{"cut", `{"mode":"headless"`, "configuration"},
		{"null", "null", "configuration"},
		{"array", "[]", "configuration"},
		{"string", `"x"`, "configuration"},
		{"two documents", with() + with(), "configuration"},
		{"text after", with() + "x", "configuration"},
		{"byte order mark", "\uFEFF" + with(), "configuration"},
		{"nested deep", strings.Replace(with("x", 77), "77", strings.Repeat("[", 64)+strings.Repeat("]", 64), 1), "configuration"},
		{"unknown mode", with("mode", "kiosk"), "mode"},
		{"mode in capitals", with("mode", "Headless"), "mode"},
		{"mode a number", with("mode", 1), "mode"},
		{"unknown capability", with("capabilities", []any{"testing", "devtools"}), "capabilities"},
		{"capabilities a string", with("capabilities", "testing"), "capabilities"},
		{"capabilities with null", with("capabilities", []any{null}), "capabilities"},
		{"hosts a string", with("allowed_hosts", "a"), "allowed_hosts"},
		{"hosts with an empty one", with("allowed_hosts", []any{"a", ""}), "allowed_hosts"},
		{"hosts with a number", with("allowed_hosts", []any{1}), "allowed_hosts"},
		{"port too large", with("port", 70000), "port"},
		{"port negative", with("port", -1), "port"},
		{"port a fraction", with("port", 1.5), "port"},
		{"port a string", with("port", "1"), "port"},
		{"port infinite", strings.Replace(with("port", 77), "77", "1e999", 1), "port"},
		{"sandbox null", with("chromium_sandbox", null), "chromium_sandbox"},
		{"sandbox a string", with("chromium_sandbox", "no"), "chromium_sandbox"},
		{"sandbox a number", with("chromium_sandbox", 0), "chromium_sandbox"},
		{"workdir empty", with("workdir", ""), "workdir"},
		{"workdir a number", with("workdir", 1), "workdir"},
		{"no app", with("app_url", nil), "app_url"},
		{"app null", with("app_url", null), "app_url"},
		{"app a file", with("app_url", "file:///etc"), "app_url"},
		{"app a websocket", with("app_url", "ws://127.0.0.1:3000"), "app_url"},
		{"app relative", with("app_url", "/login"), "app_url"},
		{"app without a scheme", with("app_url", "127.0.0.1:3000"), "app_url"},
		{"app with a user", with("app_url", "http://u@127.0.0.1:3000"), "app_url"},
		{"app on port 0", with("app_url", "http://127.0.0.1:0"), "app_url"},
		{"app with a password", with("app_url", "http://:p@127.0.0.1:3000"), "app_url"},
		{"app in an array", with("app_url", []any{"http://127.0.0.1"}), "app_url"},
		{"state an array", with("storage_state", []any{}), "storage_state"},
		{"state cookies an object", with("storage_state", object{"cookies": object{}}), "storage_state.cookies"},
		{"state cookie without a value", with("storage_state", object{"cookies": []any{cookie, object{"name": "a", "domain": "127.0.0.1", "path": "/"}}}), "storage_state.cookies"},
		{"state of another site, malformed", with("storage_state", object{"cookies": []any{object{"name": 1, "value": "", "domain": "other.test", "path": "/"}}}), "storage_state.cookies"},
		{"state item with a numeric name", with("storage_state", object{"origins": []any{object{"origin": "http://127.0.0.1:3000", "localStorage": []any{object{"name": 1, "value": ""}}}}}), "storage_state.origins"},
		{"no token", with("token", nil), "token"},
		{"token short", with("token", "short"), "token"},
		{"token of 31", with("token", strings.Repeat("x", 31)), "token"},
		{"token empty", with("token", ""), "token"},
		{"token with a space", with("token", strings.Repeat("x", 20)+" "+strings.Repeat("x", 17)), "token"},
		{"token with a byte order mark", with("token", token+"\uFEFF"), "token"},
		{"token with a no-break space", with("token", token+"\u00A0"), "token"},
		{"token with a newline", with("token", token+"\n"), "token"},
		{"token a number", with("token", 1), "token"},
		{"stop_at a numeric string", with("stop_at", "1800000000000"), "stop_at"},
		{"stop_at no date", with("stop_at", "2026-13-45"), "stop_at"},
		{"stop_at true", with("stop_at", true), "stop_at"},
		{"stop_at infinite", strings.Replace(with("stop_at", 77), "77", "1e999", 1), "stop_at"},
		{"recording true", with("recording", true), "recording"},
		{"recording an array", with("recording", []any{}), "recording"},
		{"recording without a url", recording("url", nil), "recording.url"},
		{"recording to a file", recording("url", "file:///tmp/x"), "recording.url"},
		{"recording with a user", recording("url", "https://u:p@x.test/"), "recording.url"},
		{"recording without a token", recording("token", nil), "recording.token"},
		{"recording with a short token", recording("token", "x"), "recording.token"},
		{"recording no events", recording("batch_events", 0), "recording.batch_events"},
		{"recording half a byte", recording("batch_bytes", 0.5), "recording.batch_bytes"},
		{"recording actions in words", recording("actions", "yes"), "recording.actions"},
		{"recording no film at all", recording("video_bytes", 0), "recording.video_bytes"},
		{"recording to less than no spool", recording("spool_bytes", -1), "recording.spool_bytes"},
		{"live a string", with("live", "yes"), "live"},
		{"live without a session", live("session_id", nil), "live.session_id"},
		{"live with an empty session", live("session_id", ""), "live.session_id"},
		{"live without origins", live("origins", nil), "live.origins"},
		{"live with no origins", live("origins", []any{}), "live.origins"},
		{"live no viewers", live("max_viewers", 0), "live.max_viewers"},
		{"live too many viewers", live("max_viewers", 101), "live.max_viewers"},
		{"live hold of nothing", live("max_hold_ms", 0), "live.max_hold_ms"},
		{"live idle for less than nothing", live("idle_release_ms", -1), "live.idle_release_ms"},
		{"live viewer as text", live("viewer", "yes"), "live.viewer"},
		{"live origins a string", live("origins", "https://dash.example"), "live.origins"},
		{"live origin any", origin("*"), "live.origins"},
		{"live origin with a path", origin("https://dash.example/x"), "live.origins"},
		{"live origin with a query", origin("https://dash.example/?next=1"), "live.origins"},
		{"live origin with a fragment", origin("https://dash.example/#x"), "live.origins"},
		{"live origin with a user", origin("https://u@dash.example/"), "live.origins"},
		{"live origin a file", origin("file:///"), "live.origins"},
		{"live origin a bare name", origin("localhost"), "live.origins"},
		{"live origin null", origin("null"), "live.origins"},
		{"live origin a number", origin(1), "live.origins"},
		{"live wait too long", live("agent_wait_ms", 60000), "live.agent_wait_ms"},
		{"live wait negative", live("agent_wait_ms", -1), "live.agent_wait_ms"},
		{"live grace none", live("release_grace_ms", 0), "live.release_grace_ms"},
		{"lifeline a string", with("lifeline", "true"), "lifeline"},
		{"chromium path empty", with("chromium_path", ""), "chromium_path"},
		{"chromium of another kind", with("chromium", "firefox"), "chromium"},
		{"viewport a string", with("viewport", "1280x800"), "viewport"},
		{"viewport of nothing", with("viewport", object{"width": 0}), "viewport.width"},
		{"viewport too high", with("viewport", object{"height": 10001}), "viewport.height"},
		{"snapshot of another kind", with("snapshot", "diff"), "snapshot"},
		{"snapshot a boolean", with("snapshot", false), "snapshot"},
		{"snapshot too small", with("snapshot_max_chars", 999), "snapshot_max_chars"},
		{"snapshot without a bound", with("snapshot_max_chars", 0), "snapshot_max_chars"},
		{"screenshot too small", with("screenshot_max_edge", 63), "screenshot_max_edge"},
		{"screenshot too large", with("screenshot_max_edge", 16385), "screenshot_max_edge"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, _, err := decodeLaunch(t, tt.text)
			var le *proto.LaunchError
			if !errors.As(err, &le) || len(le.Failures) != 1 {
				t.Fatalf("got %v, want one failure", err)
			}
			wantCode(t, err, proto.CodeConfigInvalid)
			if f := le.Failures[0]; f.Key != tt.key {
				t.Errorf("failure is of %q: %s", f.Key, f.Message)
			}
			checkClause(t, tt.key, err.Error())
			if diff := cmp.Diff(proto.Launch{}, l); diff != "" {
				t.Errorf("a refused config gave a launch: %s", diff)
			}
		})
	}
}

// checkClause checks the form of a message: the key, then one clause.
func checkClause(t *testing.T, key, message string) {
	t.Helper()
	clause, ok := strings.CutPrefix(message, key+" ")
	switch {
	case !ok:
		t.Errorf("message does not start with its key %q: %q", key, message)
	case strings.HasSuffix(clause, "."), strings.ContainsAny(clause, "\r\n"), clause[0] < 'a' || clause[0] > 'z':
		t.Errorf("message is not one lower-case clause: %q", message)
	}
}

func TestDecodeLaunchReportsAllInOrder(t *testing.T) {
	text := `{"live":{"origins":[],"agent_wait_ms":-1,"release_grace_ms":0},"recording":{"batch_bytes":0},
		"stop_at":"soon","token":"x y","storage_state":{"cookies":[1],"origins":[2]},"app_url":"ftp://x","workdir":"",
		"chromium_sandbox":null,"port":-1,"allowed_hosts":[1],"capabilities":1,"mode":1,
		"metrics":1,"screenshot_max_edge":1,"snapshot_max_chars":"1","snapshot":1,
		"viewport":{"width":0,"height":0},"chromium":1,"chromium_path":1,"lifeline":1}`
	_, _, err := decodeLaunch(t, text)
	var le *proto.LaunchError
	if !errors.As(err, &le) {
		t.Fatal(err)
	}
	var keys []string
	for _, f := range le.Failures {
		keys = append(keys, f.Key)
		checkClause(t, f.Key, f.Message)
	}
	want := []string{"mode", "capabilities", "allowed_hosts", "port", "chromium_sandbox", "workdir", "app_url",
		"storage_state.cookies", "storage_state.origins", "token", "stop_at",
		"recording.url", "recording.token", "recording.batch_bytes",
		"live.session_id", "live.origins", "live.agent_wait_ms", "live.release_grace_ms",
		"lifeline", "chromium_path", "chromium", "viewport.width", "viewport.height",
		"snapshot", "snapshot_max_chars", "screenshot_max_edge", "metrics"}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Error(diff)
	}
	var e *proto.Error
	if !errors.As(err, &e) || e.Message != le.Failures[0].Message || !strings.Contains(e.Hint, "26 more") {
		t.Errorf("the border's error is %+v", e)
	}
}

func TestDecodeLaunchBoundsReports(t *testing.T) {
	text := with("storage_state", object{"cookies": make([]any, 10_000)})
	_, _, err := decodeLaunch(t, text)
	var le *proto.LaunchError
	if !errors.As(err, &le) || len(le.Failures) != 50 {
		t.Fatalf("got %d failures", len(le.Failures))
	}
}

func TestDecodeLaunchWarns(t *testing.T) {
	tests := []struct{ name, text, key, fragment string }{
		{"misspelt", with("stop_ta", 1), "stop_ta", "did you mean stop_at"},
		{"camel case", with("stopAt", 1), "stopAt", "did you mean stop_at"},
		{"another case is another key", with("Workdir", "/x"), "Workdir", "did you mean workdir"},
		{"foreign", with("zebra", 1), "zebra", "is not a known key"},
		{"nested", with("viewport", object{"widht": 1}), "viewport.widht", "did you mean width"},
		{"nested in a state", with("storage_state", object{"cookie": []any{}}), "storage_state.cookie", "did you mean cookies"},
		{"with control characters", with("a\nb", 1), `"a\nb"`, "is not a known key"},
		{"with a dot", with("live.origins", 1), `"live.origins"`, "is not a known key"},
		{"endless", with(strings.Repeat("k", 1000), 1), strings.Repeat("k", 64), "is not a known key"},
		{"host of the wrong type", with("host", 5), "host", "127.0.0.1 is used"},
		{"host empty", with("host", ""), "host", "127.0.0.1 is used"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, warnings, err := decodeLaunch(t, tt.text)
			if err != nil || len(warnings) != 1 {
				t.Fatalf("got %v, %v; want one warning", warnings, err)
			}
			w := warnings[0]
			if !strings.HasPrefix(w.Key, tt.key) || !strings.Contains(w.Message, tt.fragment) || len(w.Message) > 200 {
				t.Errorf("warning is %+v", w)
			}
			checkClause(t, w.Key, w.Message)
			if diff := cmp.Diff(minimal(), l); diff != "" {
				t.Errorf("the key was not ignored: %s", diff)
			}
		})
	}
	t.Run("beside an error", func(t *testing.T) {
		_, warnings, err := decodeLaunch(t, with("token", nil, "Token", token))
		if err == nil || len(warnings) != 1 || !strings.Contains(warnings[0].Message, "did you mean token") {
			t.Errorf("got %v, %v", warnings, err)
		}
	})
	t.Run("cookies keep what we drop to themselves", func(t *testing.T) {
		_, warnings, err := decodeLaunch(t, with("storage_state", object{"cookies": []any{
			object{"name": "a", "value": "", "domain": "127.0.0.1", "path": "/", "partitionKey": "x"}}}))
		if err != nil || len(warnings) != 0 {
			t.Errorf("got %v, %v", warnings, err)
		}
	})
}

// No value of a config may reach stderr by way of a message.
func TestDecodeLaunchMessagesHoldNoValues(t *testing.T) {
	const canary = "CANARY-4711"
	text := with("mode", canary, "capabilities", []any{canary}, "port", canary, "app_url", "http://u:"+canary+"@x",
		"token", canary+" x", "stop_at", canary, "host", []any{canary}, "chromium", canary,
		"storage_state", object{"cookies": []any{object{"name": canary, "value": canary}}},
		"recording", object{"url": "ftp://" + canary, "token": canary},
		"live", object{"session_id": 1, "origins": []any{canary}})
	_, warnings, err := decodeLaunch(t, text)
	var le *proto.LaunchError
	if !errors.As(err, &le) || len(le.Failures) < 10 {
		t.Fatal(err)
	}
	for _, f := range le.Failures {
		if strings.Contains(f.Message, canary) {
			t.Errorf("message shows a value: %q", f.Message)
		}
	}
	for _, w := range warnings {
		if strings.Contains(w.Message, canary) {
			t.Errorf("warning shows a value: %q", w.Message)
		}
	}
}

func TestDecodeLaunchWithoutParser(t *testing.T) {
	_, _, err := proto.DecodeLaunch([]byte(with()), nil)
	wantCode(t, err, proto.CodeConfigInvalid)
}

func TestStopAtForms(t *testing.T) {
	local := func(y int, m time.Month, d, h, min, s int) float64 {
		return float64(time.Date(y, m, d, h, min, s, 0, time.Local).UnixMilli())
	}
	tests := []struct {
		in   string
		want float64 // NaN = refused
	}{
		{"2026-11-30T17:30:00Z", 1796059800000},
		{"2026-11-30t17:30:00z", 1796059800000},
		{"2026-11-30T17:30:00.1239Z", 1796059800123},
		{"2026-11-30T18:30:00+01:00", 1796059800000},
		{"2026-11-30T17:30Z", 1796059800000},
		{"2026-11-30T17:30", local(2026, 11, 30, 17, 30, 0)},
		{"2026-11-30T17:30:05", local(2026, 11, 30, 17, 30, 5)},
		{"2026-11-30", 1795996800000},
		{"1969-12-31T23:59:59Z", -1000},
		{"2026-02-30", math.NaN()},
		{"2026-11-30T25:00:00Z", math.NaN()},
		{"2026-11-30T17:30:00,5Z", math.NaN()},
		{"2026-11-30 17:30:00 UTC", math.NaN()},
		{"Mon, 30 Nov 2026 17:30:00 GMT", math.NaN()},
		{"2026", math.NaN()},
		{"tomorrow", math.NaN()},
		{"", math.NaN()},
	}
	for _, tt := range tests {
		l, _, err := decodeLaunch(t, with("stop_at", tt.in))
		switch {
		case math.IsNaN(tt.want):
			if err == nil {
				t.Errorf("%q was taken as %v", tt.in, *l.StopAt)
			}
		case err != nil:
			t.Errorf("%q: %v", tt.in, err)
		case *l.StopAt != tt.want:
			t.Errorf("%q is %v, want %v", tt.in, *l.StopAt, tt.want)
		}
	}
}
