package house

import (
	"errors"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// TestConfigsAreWhatTheirNamesSay decodes testdata/config: the files there are
// good, those named warning-… with a warning, and each in bad is refused with
// the key that its name begins with.
func TestConfigsAreWhatTheirNamesSay(t *testing.T) {
	for _, name := range entries(t, "testdata/config") {
		if name == "bad" {
			continue
		}
		launch, warnings, err := proto.DecodeLaunch([]byte(read(t, "testdata/config/"+name)), policy.ParseURL)
		if err == nil {
			_, err = policy.For(launch)
		}
		if err != nil {
			t.Errorf("%s is refused: %v", name, err)
		}
		if (len(warnings) > 0) != strings.HasPrefix(name, "warning-") {
			t.Errorf("%s: warnings %v", name, warnings)
		}
	}
	for _, name := range entries(t, "testdata/config/bad") {
		key, _, _ := strings.Cut(name, "-")
		launch, _, err := proto.DecodeLaunch([]byte(read(t, "testdata/config/bad/"+name)), policy.ParseURL)
		if err == nil {
			_, err = policy.For(launch) // as the sidecar does before it starts anything
		}
		var refused *proto.LaunchError
		if !errors.As(err, &refused) {
			t.Errorf("%s is taken: %v", name, err)
			continue
		}
		if first := refused.Failures[0]; first.Key != key || !strings.HasPrefix(first.Message, key+" ") {
			t.Errorf("%s is refused for %s: %s", name, first.Key, first.Message)
		}
		if more := len(refused.Failures) > 1; more != strings.Contains(name, "of-many") {
			t.Errorf("%s has %d failures", name, len(refused.Failures))
		}
	}
}
