package live_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/pillion-browser/pillion/sidecar/internal/chrome"
)

// agentBrowserProgram names the program of another product whose stream is
// measured beside ours, where it is not in the PATH.
const agentBrowserProgram = "PILLION_BENCH_AGENT_BROWSER"

// agentBrowser is the stream of agent-browser, which is given the same Chromium
// and the same kind of picture; nil where it is not installed. It needs a home of
// its own, and a user whom Chromium's sandbox works for.
func agentBrowser(b *testing.B) *subject {
	program := os.Getenv(agentBrowserProgram)
	if program == "" {
		var err error
		if program, err = exec.LookPath("agent-browser"); err != nil {
			b.Logf("agent-browser is not measured, as it is not installed: npm install --global agent-browser@0.41, "+
				"or name its program in %s", agentBrowserProgram)
			return nil
		}
	}
	binary, err := chrome.Find(b.Context(), chrome.Want{})
	if err != nil {
		b.Fatal(err)
	}
	user, err := chrome.PickUser()
	if err != nil {
		b.Fatal(err)
	}
	// Its background process listens in its home, on a path that must stay short.
	home, err := os.MkdirTemp("", "ab")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		os.RemoveAll(home)
		user.Close()
	})
	if err := os.Chown(home, user.UID, user.GID); err != nil {
		b.Fatal(err)
	}
	run := func(ctx context.Context, args ...string) []byte {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir = home
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "XDG_RUNTIME_DIR=" + home,
			"AGENT_BROWSER_EXECUTABLE_PATH=" + binary.Path, "AGENT_BROWSER_STREAM_QUALITY=60",
		}
		if user.Dedicated {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user.UID), Gid: uint32(user.GID), Groups: []uint32{}}}
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Errorf("agent-browser %v: %v\n%s", args, err, out)
		}
		return out
	}
	b.Cleanup(func() { run(context.Background(), "close") })
	run(b.Context(), "open", flipper(b))
	run(b.Context(), "set", "viewport", "1280", "800")
	var status struct{ Data struct{ Port int } }
	if err := json.Unmarshal(run(b.Context(), "stream", "status", "--json"), &status); err != nil {
		b.Fatal(err)
	}
	conn, _, err := websocket.DefaultDialer.Dial("ws://127.0.0.1:"+strconv.Itoa(status.Data.Port), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	return &subject{name: "agent-browser", pictures: pictures(conn, func(_ int, data []byte) []byte {
		var m struct{ Type, Data string }
		if json.Unmarshal(data, &m) != nil || m.Type != "frame" {
			return nil
		}
		jpeg, _ := base64.StdEncoding.DecodeString(m.Data)
		return jpeg
	}), flip: func() {
		for _, typ := range []string{"mousePressed", "mouseReleased"} {
			say(b, conn, map[string]any{"type": "input_mouse", "eventType": typ, "x": 640, "y": 400, "button": "left", "clickCount": 1})
		}
	}}
}
