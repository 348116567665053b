package supervisor

import (
	"slices"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

func TestModes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		goos, environ string
		headed        bool
	}{
		{"linux", "HOME=/root", false},
		{"linux", "DISPLAY=", false},
		{"linux", "DISPLAY=:0", true},
		{"linux", "WAYLAND_DISPLAY=wayland-0", true},
		{"linux", "OTHER_DISPLAY=:0", false},
		{"darwin", "", true},
		{"windows", "", true},
	} {
		modes := modesFor(test.goos, strings.Fields(test.environ))
		if modes[0] != proto.Headless || slices.Contains(modes, proto.Headed) != test.headed {
			t.Errorf("%s with %q: %v", test.goos, test.environ, modes)
		}
	}
	headless := []proto.Mode{proto.Headless}
	if got := (&Supervisor{Runner: plainRunner{}}).Modes(); !slices.Equal(got, headless) {
		t.Errorf("a runner that knows no modes: %v", got)
	}
}

// plainRunner has what a Runner must have and nothing else.
type plainRunner struct{ Runner }
