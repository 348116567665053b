package container

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// engineFlag makes the test binary a container engine's client. The argument
// is a directory in which it notes its calls.
const engineFlag = "-fake-engine="

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], engineFlag) {
		os.Exit(engineMain(strings.TrimPrefix(os.Args[1], engineFlag), os.Args[2:]))
	}
	os.Exit(m.Run())
}

// engineMain is a client whose containers are itself.
func engineMain(dir string, args []string) int {
	log, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 90
	}
	fmt.Fprintln(log, strings.Join(args, " "))
	log.Close()
	switch args[0] {
	case "run":
		return runMain(dir)
	case "ps":
		fmt.Println("one\ntwo")
	case "image":
		fmt.Fprintln(os.Stderr, "Error: no such image")
		return 125
	}
	return 0
}

// runMain is the sidecar in the container.
func runMain(dir string) int {
	input := bufio.NewScanner(os.Stdin)
	input.Scan()
	os.WriteFile(filepath.Join(dir, "config"), input.Bytes(), 0o600)
	var config struct{ Port int }
	json.Unmarshal(input.Bytes(), &config)
	if config.Port == 0 {
		config.Port = 7801
	}
	fmt.Printf(`{"ready":true,"port":%d,"version":%q,"pid":6}`+"\n", config.Port, proto.Version)
	for input.Scan() {
		if c, err := proto.DecodeCommand(input.Bytes()); err == nil && c.Type == proto.CommandStop {
			break
		}
	}
	for _, kind := range []string{proto.EventStopping, proto.EventStopped} {
		fmt.Printf(`{"type":%q,"at":%d,"reason":"command"}`+"\n", kind, time.Now().UnixMilli())
	}
	return 0
}
