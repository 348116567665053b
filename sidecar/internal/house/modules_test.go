package house

import (
	"strings"
	"testing"
)

// reasons lists the modules that we require ourselves, each with the sentence
// that let it in. A new one needs a new sentence here.
func reasons() map[string]string {
	return map[string]string{
		"github.com/chromedp/cdproto":            "typed commands and events of the DevTools protocol, generated from its definition",
		"github.com/chromedp/chromedp":           "the pipe to Chromium, and its key tables",
		"github.com/gorilla/websocket":           "the live view's socket, with control over frames and closing",
		"github.com/modelcontextprotocol/go-sdk": "the MCP server behind the gateway",
		"github.com/nlnwa/whatwg-url":            "URLs as the browser reads them; net/url reads them otherwise",
		"golang.org/x/sys":                       "namespaces, locks and descriptors that package syscall does not name",
		"github.com/google/go-cmp":               "differences that a person can read, in tests",
		"github.com/rogpeppe/go-internal":        "scripts that test the command line",
		"modernc.org/sqlite":                     "the embedded store of recordings, without cgo",
	}
}

func TestEveryModuleHasAReason(t *testing.T) {
	allowed := reasons()
	for line := range strings.SplitSeq(read(t, "go.mod"), "\n") {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) < 2 || !strings.Contains(fields[0], ".") || !strings.HasPrefix(fields[1], "v") || strings.Contains(line, "// indirect") {
			continue
		}
		if allowed[fields[0]] == "" {
			t.Errorf("go.mod requires %s, which has no reason in the list of this test", fields[0])
		}
	}
	if strings.Contains(read(t, "go.mod"), "replace ") {
		t.Error("go.mod replaces a module: nobody could install the program by its path")
	}
}
