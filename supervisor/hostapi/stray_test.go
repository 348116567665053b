package hostapi_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
)

// strayFlag makes the test binary a sidecar that misbehaves: in one of several
// ways, picked at random. The argument after it is a directory in which it
// holds a lock for its app, so that two browsers of one sandbox meet, and in
// which they say so.
const strayFlag = "-stray-sidecar="

const (
	lockSuffix     = ".lock"
	clashSuffix    = ".clash"
	strayExit      = 3 // of one that gives up
	strayLifetime  = 30 * time.Millisecond
	strayStopDelay = 20 * time.Millisecond
)

func strayMain(dir string) int {
	var config struct {
		AppURL string `json:"app_url"`
	}
	chance := rand.IntN(10)
	if chance == 0 { // dies before it has read a thing
		return strayExit
	}
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<20)
	if !input.Scan() {
		return strayExit
	}
	if err := json.Unmarshal(input.Bytes(), &config); err != nil {
		return strayExit
	}
	unlock, err := lock(filepath.Join(dir, filepath.Base(config.AppURL)+lockSuffix))
	if err != nil {
		os.WriteFile(filepath.Join(dir, fmt.Sprint(os.Getpid(), clashSuffix)), []byte(config.AppURL+": "+err.Error()), 0o600)
		return strayExit
	}
	defer unlock()
	if chance == 1 { // knows why it can't start
		fmt.Fprintln(os.Stderr, (&proto.Error{Code: proto.CodeBrowserStartTimeout, Message: "Chromium did not answer"}).Line())
		return strayExit
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return strayExit
	}
	defer l.Close()
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	fmt.Printf(`{"ready":true,"port":%d,"version":%q,"pid":%d}`+"\n", l.Addr().(*net.TCPAddr).Port, proto.Version, os.Getpid())
	return stray(chance, input)
}

// stray lives until it is told to stop, or for as long as it likes.
func stray(chance int, input *bufio.Scanner) int {
	switch chance {
	case 2: // crashes
		time.AfterFunc(rand.N(strayLifetime), func() { os.Exit(strayExit) })
	case 3: // stops itself
		time.AfterFunc(rand.N(strayLifetime), func() { farewell(proto.ReasonExpired); os.Exit(0) })
	case 4: // is slow to stop
		defer time.Sleep(rand.N(strayStopDelay))
	}
	for input.Scan() {
		c, err := proto.DecodeCommand(input.Bytes())
		if err == nil && c.Type == proto.CommandStop {
			farewell(proto.ReasonCommand)
			return 0
		}
	}
	farewell(proto.ReasonParentGone)
	return 0
}

func farewell(reason string) {
	for _, kind := range []string{proto.EventStopping, proto.EventStopped} {
		fmt.Printf(`{"type":%q,"at":%d,"reason":%q}`+"\n", kind, time.Now().UnixMilli(), reason)
	}
}

// straySupervisor starts strays that lock in dir.
func straySupervisor(dir string) *supervisor.Supervisor {
	return &supervisor.Supervisor{Command: os.Args[0], Args: []string{strayFlag + dir}}
}
