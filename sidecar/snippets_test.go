package main_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// The programs that the documentation gives to hosts of other languages start a
// browser, use it and end it, each with what its language brings along.
func TestSnippetsOfOtherLanguages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a browser for each language")
	}
	site := apptest.Start(t)
	sidecar := apptest.Build(t)
	for program, file := range map[string]string{"python3": "start.py", "node": "start.mjs", "ruby": "start.rb"} {
		t.Run(file, func(t *testing.T) {
			interpreter, err := exec.LookPath(program)
			if err != nil {
				t.Skipf("there is no %s", program)
			}
			out, err := exec.Command(interpreter, "../supervisor/docs/"+file, sidecar, site.URL()).CombinedOutput()
			text := string(out)
			if err != nil || !strings.Contains(text, "Page Title: ") || !strings.Contains(text, "stopped parent_gone") {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}
