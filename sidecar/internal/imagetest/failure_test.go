package imagetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// TestImageSaysWhatItLacks starts the image where it can't work. It ends soon,
// with the reason on stderr.
func TestImageSaysWhatItLacks(t *testing.T) {
	needImage(t)
	for _, c := range []struct {
		name, options string
		code          proto.Code
		says          string
	}{
		{"no user namespaces", "--security-opt seccomp=" + withoutNamespaces(t), proto.CodeSandboxUnavailable, "user namespaces"},
		{"no place to write", "--read-only --tmpfs /tmp:ro", proto.CodeWorkdirUnusable, "read-only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(optionsEnv, c.options)
			config, err := json.Marshal(apptest.Config{"app_url": "http://127.0.0.1:7000", "token": apptest.Token, "lifeline": true})
			if err != nil {
				t.Fatal(err)
			}
			p := apptest.Spawn(t, config)
			if code := p.Wait(); code != 1 {
				t.Errorf("it ended with %d", code)
			}
			if said := p.Stderr(); !strings.Contains(said, string(c.code)) || !strings.Contains(said, c.says) {
				t.Errorf("want %s and %q:\n%s", c.code, c.says, said)
			}
		})
	}
}

// withoutNamespaces writes a filter that denies new namespaces, as Docker's own
// does, and nothing else.
func withoutNamespaces(t *testing.T) string {
	t.Helper()
	const newNamespace = 0x7e020000 // every namespace flag of clone
	arg := map[string]any{"index": 0, "value": newNamespace, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}
	b, err := json.Marshal(map[string]any{
		"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": 1, "architectures": []string{"SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"},
		"syscalls": []any{
			map[string]any{"names": profile(t).plain(), "action": "SCMP_ACT_ALLOW"},
			map[string]any{"names": []string{"socket", "chroot"}, "action": "SCMP_ACT_ALLOW"},
			map[string]any{"names": []string{"clone"}, "action": "SCMP_ACT_ALLOW", "args": []any{arg}},
			map[string]any{"names": []string{"clone3"}, "action": "SCMP_ACT_ERRNO", "errnoRet": 38},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "seccomp.json")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
