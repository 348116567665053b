package supervisor

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// fakeFlag starts the first argument of a fake sidecar: -fake-sidecar=MODE.
// The second may be -probe=ADDR: where the fake tells the test what it sees.
const fakeFlag = "-fake-sidecar="

// fakeSidecar is a process that behaves like a sidecar, or like a broken one.
type fakeSidecar struct {
	mode  string
	args  []string
	tell  func(what, text string)
	input *bufio.Reader
	sig   chan os.Signal

	mu sync.Mutex // guards standard output
}

// observation is what a fake tells its test, one JSON line each.
type observation struct{ What, Text string }

func fakeMain(args []string) int {
	f := &fakeSidecar{
		mode:  strings.TrimPrefix(args[0], fakeFlag),
		args:  args[1:],
		tell:  func(string, string) {},
		input: bufio.NewReader(os.Stdin),
		sig:   make(chan os.Signal, 8),
	}
	if len(f.args) > 0 && strings.HasPrefix(f.args[0], "-probe=") {
		conn, err := net.Dial("tcp", strings.TrimPrefix(f.args[0], "-probe="))
		if err != nil {
			return 90
		}
		defer conn.Close()
		enc := json.NewEncoder(conn)
		var mu sync.Mutex
		f.tell = func(what, text string) { mu.Lock(); defer mu.Unlock(); enc.Encode(observation{what, text}) }
		f.args = f.args[1:]
	}
	f.tell("pid", fmt.Sprint(os.Getpid()))
	f.tell("args", strings.Join(f.args, " "))
	f.tell("env", strings.Join(os.Environ(), "\n"))
	signal.Notify(f.sig, syscall.SIGTERM, syscall.SIGINT)
	signal.Ignore(syscall.SIGPIPE) // as sidecars do: a host that is gone must not kill them
	if behave, ok := fakeModes()[f.mode]; ok {
		return behave(f)
	}
	fmt.Fprintln(os.Stderr, "no such fake:", f.mode)
	return 91
}

// fakeModes are the behaviours, each named by what is wrong with it.
func fakeModes() map[string]func(*fakeSidecar) int {
	return map[string]func(*fakeSidecar) int{
		"good":        func(f *fakeSidecar) int { f.config(); f.ready(); return f.serve() },
		"exits":       (*fakeSidecar).exits,
		"exits-mute":  func(f *fakeSidecar) int { return 7 },
		"no-chromium": func(f *fakeSidecar) int { return f.fails(proto.CodeBrowserMissing, "") },
		"no-sandbox": func(f *fakeSidecar) int {
			return f.fails(proto.CodeSandboxUnavailable, "sysctl kernel.unprivileged_userns_clone=1")
		},
		"never-ready":   func(f *fakeSidecar) int { f.config(); f.log("thinking"); return f.untilSignal() },
		"garbage":       func(f *fakeSidecar) int { f.print("Welcome to the wrapper 1.0"); return f.untilSignal() },
		"leaks-garbage": func(f *fakeSidecar) int { f.print("got " + f.config().Token); return f.untilSignal() },
		"long-line":     func(f *fakeSidecar) int { f.print(strings.Repeat("x", 2<<20)); return f.untilSignal() },
		"old":           func(f *fakeSidecar) int { f.config(); f.readyWith("0.0.1"); return f.serve() },
		"closes-output": func(f *fakeSidecar) int { f.config(); os.Stdout.Close(); return f.untilSignal() },
		"never-reads":   func(f *fakeSidecar) int { f.ready(); return f.untilSignal() },
		"log-flood":     (*fakeSidecar).logFlood,
		"event-flood":   (*fakeSidecar).eventFlood,
		"odd-events":    (*fakeSidecar).oddEvents,
		"no-commands":   func(f *fakeSidecar) int { f.config(); f.ready(); <-f.sig; return 0 },
		"deaf":          func(f *fakeSidecar) int { signal.Ignore(syscall.SIGTERM); f.config(); f.ready(); select {} },
		"stop-hangs":    (*fakeSidecar).stopHangs,
		"stops-itself":  (*fakeSidecar).stopsItself,
		"crashes":       (*fakeSidecar).crashes,
		"leaves-child":  (*fakeSidecar).leavesChild,
		"child":         func(f *fakeSidecar) int { signal.Ignore(syscall.SIGTERM); select {} },
		"host":          (*fakeSidecar).host,
		"doctor":        (*fakeSidecar).doctor,
	}
}

func (f *fakeSidecar) log(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

func (f *fakeSidecar) print(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintln(os.Stdout, line)
}

func (f *fakeSidecar) event(kind, reason string) {
	f.print(fmt.Sprintf(`{"type":%q,"at":%d,"reason":%q}`, kind, time.Now().UnixMilli(), reason))
}

// fakeConfig is the part of the config that the fakes look at.
type fakeConfig struct {
	Token     string
	Lifeline  bool
	Recording struct{ Token string }
}

// config reads the config, which is one line.
func (f *fakeSidecar) config() (c fakeConfig) {
	line, _ := f.input.ReadBytes('\n')
	f.tell("config", string(bytes.TrimSpace(line)))
	json.Unmarshal(line, &c)
	return c
}

func (f *fakeSidecar) ready() { f.readyWith(proto.Version) }

func (f *fakeSidecar) readyWith(version string) {
	f.print(fmt.Sprintf(`{"ready":true,"port":4321,"version":%q,"pid":%d,"chromium":{"version":"156.0.0.0","flavour":"shell"},"newer":1}`,
		version, os.Getpid()))
}

// serve obeys commands until it is told to stop, by whichever way.
func (f *fakeSidecar) serve() int {
	commands := make(chan string)
	go func() {
		defer close(commands)
		for {
			line, err := f.input.ReadString('\n')
			if err != nil {
				return
			}
			commands <- strings.TrimSpace(line)
		}
	}()
	for {
		select {
		case <-f.sig:
			return f.goodbye(proto.ReasonSignal)
		case line, ok := <-commands:
			if !ok {
				f.tell("lifeline", "ended")
				return f.goodbye(proto.ReasonParentGone)
			}
			f.tell("command", line)
			if f.obey(line) {
				return f.goodbye(proto.ReasonCommand)
			}
		}
	}
}

// obey answers a command as a sidecar does, and reports whether it is the stop.
func (f *fakeSidecar) obey(line string) (stop bool) {
	c, err := proto.DecodeCommand([]byte(line))
	answer := proto.Event{At: time.Now().UnixMilli(), Detail: map[string]any{"id": c.ID}}
	switch {
	case err != nil:
		answer.Type = proto.EventRejected
		answer.Detail["code"], answer.Detail["message"] = string(proto.CodeOf(err)), err.Error()
	case c.Type == proto.CommandStop:
		return true
	case c.User == "nobody":
		answer.Type = proto.EventRejected
		answer.Detail["code"], answer.Detail["message"] = string(proto.CodeLiveOff), "no such user"
	default:
		answer.Type = map[string]string{proto.CommandExtend: proto.EventExtended,
			proto.CommandRevoke: proto.EventRevoked, proto.CommandPing: proto.EventPong}[c.Type]
	}
	text, _ := answer.Encode()
	f.print(string(text))
	return false
}

func (f *fakeSidecar) goodbye(reason string) int {
	f.event("stopping", reason)
	f.event("stopped", reason)
	return 0
}

func (f *fakeSidecar) untilSignal() int {
	<-f.sig
	f.tell("signal", "terminated")
	return 1
}

func (f *fakeSidecar) fails(code proto.Code, hint string) int {
	f.config()
	f.log("browser-sidecar: something happened")
	f.log("%s", (&proto.Error{Code: code, Message: "it is not there", Hint: hint}).Line())
	return 1
}

// exits ends early and talks too much: the secrets as they are and as encoders leave them.
func (f *fakeSidecar) exits() int {
	c := f.config()
	f.log("first line")
	f.log("token %s, recording %s", c.Token, c.Recording.Token)
	f.log("basic %s", base64.StdEncoding.EncodeToString([]byte("user:"+c.Token+"!")))
	f.log("\x1b[31mfatal: out of luck")
	return 3
}

func (f *fakeSidecar) logFlood() int {
	f.config()
	line := strings.Repeat("log ", 250)
	for range 1000 { // a megabyte
		f.log("%s", line)
	}
	fmt.Fprint(os.Stderr, strings.Repeat("no end ", 100_000))
	f.log("")
	f.ready()
	return f.serve()
}

const floodEvents = 20_000

func (f *fakeSidecar) eventFlood() int {
	f.config()
	f.ready()
	for i := range floodEvents {
		f.event("page", fmt.Sprint(i))
	}
	return f.serve()
}

func (f *fakeSidecar) oddEvents() int {
	f.config()
	f.ready()
	f.print(`{"type":"from-the-future","at":1,"detail":{"a":[1]},"more":true}`)
	f.print(`not JSON at all`)
	f.print(strings.Repeat("y", 2<<20))
	f.print(``)
	f.print(`[1,2]`)
	f.event("page", "after the odd ones")
	return f.serve()
}

func (f *fakeSidecar) stopHangs() int {
	f.config()
	f.ready()
	for {
		line, err := f.input.ReadString('\n')
		if err != nil {
			return 92
		}
		if strings.Contains(line, `"stop"`) {
			break
		}
	}
	f.event("stopping", proto.ReasonCommand)
	<-f.sig
	f.tell("signal", "terminated")
	return 0
}

func (f *fakeSidecar) stopsItself() int {
	f.config()
	f.ready()
	f.event("stopping", proto.ReasonExpired)
	f.event("stopped", proto.ReasonExpired)
	return 0
}

func (f *fakeSidecar) crashes() int {
	f.config()
	f.ready()
	f.input.ReadString('\n') // the first command
	f.log("panic: all is lost")
	return 2
}

// leavesChild starts a process in its own group that holds its output open,
// and then ends without it.
func (f *fakeSidecar) leavesChild() int {
	f.config()
	child := exec.Command(os.Args[0], fakeFlag+"child")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		return 93
	}
	f.tell("child", fmt.Sprint(child.Process.Pid))
	f.ready()
	return f.serve()
}

// host is not a sidecar but a program that embeds the supervisor. Its own fake
// sidecar uses the probe given as the next argument.
func (f *fakeSidecar) host() int {
	mode, probe := f.args[0], f.args[1]
	s := &Supervisor{Command: os.Args[0], Args: []string{fakeFlag + mode, probe}}
	if len(f.args) > 2 {
		r := &ExecRunner{Command: s.Command, Args: s.Args}
		if name, named := strings.CutPrefix(f.args[2], "named="); named {
			r.Name = name
		} else {
			r.ParentDeathSignal = syscall.SIGKILL
		}
		s.Runner = r
	}
	_, err := s.Start(testContext(), testLaunch())
	f.tell("started", fmt.Sprint(err))
	select {}
}

func (f *fakeSidecar) doctor() int {
	if rest, err := io.ReadAll(f.input); len(rest) > 0 || err != nil {
		return 94
	}
	if len(f.args) != 1 || f.args[0] != "doctor" {
		return 95
	}
	f.print("[ok]      sidecar: version 0.1.0")
	f.print("[missing] chromium: not found in /usr/bin. Run apt-get install chromium")
	f.print("  looked in /usr/lib/chromium too")
	f.print("[ok]      fonts: CJK: yes")
	f.print("that was all")
	return 1
}
