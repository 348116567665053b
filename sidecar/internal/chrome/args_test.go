package chrome

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var golden = Config{Flavour: Shell, Profile: "/s/profile-abcdef", ProxyAddr: "127.0.0.1:4000"}

func TestArgsGolden(t *testing.T) {
	full := golden
	full.Flavour = Full
	headed := full
	headed.Mode = proto.Headed
	headed.Window = proto.Viewport{Width: 1024, Height: 600}
	weak := golden
	weak.DangerouslyNoSandbox, weak.SmallShm = true, true
	for name, config := range map[string]Config{"shell": golden, "full": full, "headed": headed, "weak": weak} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", "args-"+name+".txt")
			got := strings.Join(Args(config), "\n") + "\n"
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestArgsRules holds for every configuration, whatever the golden files say.
func TestArgsRules(t *testing.T) {
	for _, flavour := range []string{Shell, Full} {
		for _, mode := range []proto.Mode{"", proto.Headless, proto.Headed} {
			c := golden
			c.Flavour, c.Mode = flavour, mode
			args := Args(c)
			if last := args[len(args)-1]; last != "about:blank" {
				t.Errorf("last argument is %q", last)
			}
			if err := judgeBrowser(args, args); err != nil {
				t.Error(err)
			}
			if err := judgeAny(args, false, ""); err != nil {
				t.Error(err)
			}
			seen := make(map[string]bool)
			for _, s := range switches(args) {
				if seen[s[0]] {
					t.Errorf("switch --%s stands there twice", s[0])
				}
				seen[s[0]] = true
			}
			for _, name := range loadBearing {
				if !seen[name] {
					t.Errorf("switch --%s is missing", name)
				}
			}
			if want := flavour == Full && mode != proto.Headed; want != slices.Contains(args, "--headless=new") {
				t.Errorf("%s %q: --headless=new, want %t", flavour, mode, want)
			}
		}
	}
}

func TestJudgeCommandLine(t *testing.T) {
	meant := Args(golden)
	without := func(name string) []string {
		return slices.DeleteFunc(slices.Clone(meant), func(a string) bool { return strings.HasPrefix(a, "--"+name) })
	}
	with := func(args ...string) []string {
		return append(slices.Concat([]string{"/usr/lib/chromium/chromium"}, meant[:len(meant)-1], args), "about:blank")
	}
	rewritten := func(args []string) []string { return []string{strings.Join(args, " ")} }
	for _, tt := range []struct {
		name    string
		running []string
		want    string // part of the error, "" for none
	}{
		{"as meant", with(), ""},
		{"rewritten with spaces", rewritten(with()), ""},
		{"switches of Chromium's own", rewritten(with("--noerrdialogs", "--ozone-platform=headless")), ""},
		{"proxy missing", without("proxy-server"), "--proxy-server is missing"},
		{"isolation missing", rewritten(without("site-per-process")), "--site-per-process is missing"},
		{"second list of features", with("--disable-features=Foo"), "--disable-features stands there 2 times"},
		{"other proxy", append(without("proxy-server"), "--proxy-server=direct://"), `is "direct://" instead of`},
		{"longer value", rewritten(with("--x")[:len(with("--x"))-2]), ""},
		{"value goes on", rewritten(append(with()[:len(meant)], "Foo", "about:blank")), "--disable-features is"},
		{"launcher adds a port", with("--remote-debugging-port=0"), "--remote-debugging-port stands there"},
		{"no sandbox", rewritten(with("--no-sandbox")), "--no-sandbox stands there"},
		{"web security off", with("--disable-web-security"), "--disable-web-security stands there"},
		{"name that only begins so", with("--no-sandbox-and-elevated"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := judgeBrowser(tt.running, meant)
			if err == nil {
				err = judgeAny(tt.running, false, "")
			}
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if err := judgeAny([]string{"x", "--no-sandbox"}, true, ""); err != nil {
		t.Errorf("sandbox is off by configuration: %v", err)
	}
}

// One key may be trusted, where the session has one, and no other.
func TestTrustedKey(t *testing.T) {
	c := golden
	c.TrustedKey = "aGFzaA=="
	args := Args(c)
	if err := judgeAny(args, false, c.TrustedKey); err != nil {
		t.Error(err)
	}
	for _, meant := range []string{"", "b3RoZXI="} {
		if err := judgeAny(args, false, meant); err == nil {
			t.Errorf("a key is trusted where %q is", meant)
		}
	}
	both := []string{"x", "--ignore-certificate-errors-spki-list=aGFzaA==,b3RoZXI="}
	for _, running := range [][]string{both, {"x", "--ignore-certificate-errors"}} {
		if err := judgeAny(running, false, c.TrustedKey); err == nil {
			t.Errorf("%q is taken", running)
		}
	}
	for _, s := range switches(Args(golden)) {
		if s[0] == trustedKeySwitch {
			t.Error("a key is trusted in a session that has none")
		}
	}
}

func FuzzSwitches(f *testing.F) {
	f.Add("a --b=c --d")
	f.Add("--")
	f.Add(" --=  --")
	f.Fuzz(func(t *testing.T, line string) {
		for _, s := range switches([]string{line}) {
			if strings.Contains(s[1], " --") {
				t.Errorf("%q is two switches", s)
			}
		}
	})
}
