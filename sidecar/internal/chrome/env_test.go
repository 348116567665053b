package chrome

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
)

func TestEnviron(t *testing.T) {
	screen := displayOf(func(name string) string {
		return map[string]string{
			"HOME": "/home/u", "DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-1", "XDG_RUNTIME_DIR": "/run/user/1",
			"HTTPS_PROXY": "http://elsewhere", "LD_PRELOAD": "x.so", "SECRET": "s", "CHROMIUM_FLAGS": "--no-sandbox",
		}[name]
	})
	headless := environ(proto.Headless, "/p/home", "/p/tmp", screen)
	for _, v := range headless {
		name, value, _ := strings.Cut(v, "=")
		switch name {
		case "PATH", "LANG", "LC_ALL", "LANGUAGE", "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS":
		case "HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR":
			if !strings.HasPrefix(value, "/p/") {
				t.Errorf("%s leads out of the profile", v)
			}
		default:
			t.Errorf("unexpected %s", v)
		}
	}
	headed := environ(proto.Headed, "/p/home", "/p/tmp", screen)
	want := []string{"DISPLAY=:0", "WAYLAND_DISPLAY=/run/user/1/wayland-1", "XAUTHORITY=/home/u/.Xauthority"}
	if diff := cmp.Diff(want, headed[len(headless):]); diff != "" {
		t.Error(diff)
	}
}

func TestDisplay(t *testing.T) {
	for _, tt := range []struct {
		d            display
		remote, none bool
	}{
		{display{}, false, true},
		{display{x11: ":1"}, false, false},
		{display{x11: "unix:1"}, false, false},
		{display{x11: "localhost:10.0"}, true, false},
		{display{x11: "localhost:10.0", wayland: "/run/w"}, false, false},
	} {
		if tt.d.remote() != tt.remote || tt.d.none() != tt.none {
			t.Errorf("%+v: remote %t, none %t", tt.d, tt.d.remote(), tt.d.none())
		}
	}
}

func TestShortTmp(t *testing.T) {
	short, long := "/tmp/x/profile-abcdef", "/"+strings.Repeat("d", 80)+"/profile-abcdef"
	for _, tt := range []struct{ profile, tmp, want string }{
		{short, short + "/tmp", short + "/tmp"},
		{long, long + "/tmp", "/proc/self/cwd/tmp"},
		{long, long + "-other/tmp", long + "-other/tmp"}, // not below the profile
	} {
		if got := shortTmp(tt.profile, tt.tmp); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.tmp, got, tt.want)
		}
	}
}
