package janitor

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"profile-abcdef": true, "profile-aZ09bC": true,
		"profile-": false, "profile-abcde": false, "profile-abcdefg": false, "profile-abc/ef": false,
		"profile-abcd.f": false, "Profile-abcdef": false, "xprofile-abcdef": false, "profile-abcdef.dead": false,
	} {
		if got := isName(name, profilePrefix); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
	dir := t.TempDir()
	seen := make(map[string]bool)
	for range 100 {
		name := freshName(dir, uploadsPrefix)
		if !isName(name, uploadsPrefix) || seen[name] {
			t.Errorf("%q, seen before: %t", name, seen[name])
		}
		seen[name] = true
	}
}

func TestPlanSane(t *testing.T) {
	good := plan{
		Root: "/tmp/activeagents-browser-abcdef", OwnRoot: true, Profile: "/tmp/activeagents-browser-abcdef/profile-abcdef",
		Uploads: "/tmp/activeagents-browser-abcdef/uploads-abcdef", Output: "/tmp/activeagents-browser-abcdef/output-abcdef",
	}
	given := plan{Root: "/w", Profile: "/w/profile-abcdef", Uploads: "/w/uploads-abcdef", Output: "/w/output-abcdef"}
	if !good.sane() || !given.sane() {
		t.Error("a session's plan is refused")
	}
	for name, change := range map[string]func(*plan){
		"nothing":        func(p *plan) { *p = plan{} },
		"somebody's dir": func(p *plan) { p.Output = p.Root + "/documents" },
		"the root":       func(p *plan) { p.Profile = p.Root },
		"elsewhere":      func(p *plan) { p.Uploads = "/home/uploads-abcdef" },
		"upwards":        func(p *plan) { p.Uploads = p.Root + "/../uploads-abcdef/." },
		"relative":       func(p *plan) { p.Root, p.Profile = ".", "profile-abcdef" },
		"foreign root":   func(p *plan) { *p = given; p.OwnRoot = true },
	} {
		p := good
		change(&p)
		if p.sane() {
			t.Errorf("%s: %+v is taken", name, p)
		}
	}
}

// TestSurviveEarlyEnd has nothing to do and must not wait.
func TestSurviveEarlyEnd(t *testing.T) {
	for _, text := range []string{"", "{", "null", `{"Done":true}`, "garbage", `{"Plan":{}}`, `{"Browser":{"PID":1,"Start":2}}`} {
		if code := survive(strings.NewReader(text)); code != 0 {
			t.Errorf("%q: exit code %d", text, code)
		}
	}
}

func TestRecord(t *testing.T) {
	dir := t.TempDir()
	if err := ownRecord("uploads-abcdef", "output-abcdef").write(dir); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	r, err := readRecord(root)
	if err != nil {
		t.Fatal(err)
	}
	if r.PID != os.Getpid() || r.Uploads != "uploads-abcdef" || r.Output != "output-abcdef" || bootID() != "" && !r.alive() {
		t.Errorf("%+v, alive %t", r, r.alive())
	}
	later := r
	later.Start++
	rebooted := r
	rebooted.Boot = "another"
	if later.alive() || rebooted.alive() {
		t.Error("another process with our id counts as us")
	}
	if err := r.write(dir + "/missing"); err == nil {
		t.Error("writes into a missing profile")
	}
}

func FuzzParseRecord(f *testing.F) {
	good, _ := json.Marshal(record{PID: 5, Start: 6, Boot: "b", Uploads: "uploads-abcdef", Output: "output-abcdef"})
	f.Add(good)
	f.Add([]byte(`{"pid":5,"uploads":"uploads-../../x","output":"/etc"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseRecord(text)
		if err == nil && (strings.ContainsAny(r.Uploads+r.Output, "/.") || r.PID < 1) {
			t.Errorf("%+v is taken", r)
		}
	})
}
