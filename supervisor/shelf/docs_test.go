package shelf_test

import (
	"os"
	"strings"
	"testing"
)

// TestTheGuideSaysWhatTheExampleDoes has each line of the guide's Go in the example,
// which is compiled.
func TestTheGuideSaysWhatTheExampleDoes(t *testing.T) {
	guide, err := os.ReadFile("../docs/host.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for i, block := range strings.Split(string(guide), "```go\n") {
		if i == 0 {
			continue
		}
		block, _, _ = strings.Cut(block, "```")
		for line := range strings.Lines(block) {
			lines++
			if !strings.Contains(string(example), strings.TrimSpace(line)) {
				t.Errorf("the example does not have %q", line)
			}
		}
	}
	if lines == 0 {
		t.Error("the guide has no Go")
	}
}
