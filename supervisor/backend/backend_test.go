package backend

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor"
	"github.com/pillion-browser/pillion/supervisor/container"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	mine := &supervisor.ExecRunner{Command: "mine"}
	more := map[string]Opener{"mine": func(json.RawMessage) (supervisor.Runner, error) { return mine, nil }}
	for text, want := range map[string]supervisor.Runner{
		`{}`:               &supervisor.ExecRunner{},
		`{"kind":"local"}`: &supervisor.ExecRunner{},
		`{"kind":"local","options":{"command":"/x","args":["-n"],"env":["A=b"],"dir":"/tmp","name":"n"}}`: &supervisor.ExecRunner{
			Command: "/x", Args: []string{"-n"}, Env: []string{"A=b"}, Dir: "/tmp", Name: "n"},
		`{"kind":"container","options":{"image":"pillion","engine":"podman","engine_args":["--runtime","runc"],"network":"host","host_name":"h",
			"memory":"1g","shm":"64m","pids":9,"seccomp":"unconfined","run_args":["--cpus=1"],"name":"n"}}`: &container.Runner{
			Image: "pillion", Engine: "podman", EngineArgs: []string{"--runtime", "runc"}, Network: "host", HostName: "h",
			Memory: "1g", SHM: "64m", PIDs: 9, Seccomp: "unconfined", RunArgs: []string{"--cpus=1"}, Name: "n"},
		`{"kind":"mine"}`: mine,
	} {
		var c Config
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		if got, err := Open(c, more); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"kind":"cloud"}`:     "there are container, local",
		`{"kind":"container"}`: "image is required",
		`{"kind":"container","options":{"image":"p","memmory":"1g"}}`: "memmory",
		`{"kind":"container","options":{"image":"p","pids":"many"}}`:  "pids",
		`{"kind":"local","options":{"image":"pillion"}}`:              "image",
		`{"kind":"local","options":[]}`:                               "options",
	} {
		var c Config
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(c, nil); !errors.Is(err, proto.CodeConfigInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
