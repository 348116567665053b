package supervisor

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

func TestDoctor(t *testing.T) {
	t.Parallel()
	s, _ := fake(t, "doctor")
	checks, err := s.Doctor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Check{
		{"sidecar", "ok", "version 0.1.0"},
		{"chromium", "missing", "not found in /usr/bin. Run apt-get install chromium\nlooked in /usr/lib/chromium too"},
		{"fonts", "ok", "CJK: yes"},
	}
	if !reflect.DeepEqual(checks, want) {
		t.Errorf("got %q", checks)
	}
	if checks[0].String() != "[ok] sidecar: version 0.1.0" || !checks[0].OK() || checks[1].OK() {
		t.Errorf("got %v", checks)
	}
}

func TestDoctorThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	s, _ := fake(t, "exits-mute")
	_, err := s.Doctor(t.Context())
	if e := wantCode(t, err, proto.CodeSidecarExited); !strings.Contains(e.Message, "exit status 7") {
		t.Errorf("got %v", e)
	}
	_, err = (&Supervisor{Command: "pillion-no-such-program"}).Doctor(t.Context())
	wantCode(t, err, proto.CodeBinaryMissing)

	s, p := fake(t, "child") // says nothing and ignores SIGTERM
	ctx, cancel := context.WithCancel(t.Context())
	go func() { p.pid(); cancel() }()
	_, err = s.Doctor(ctx)
	wantCode(t, err, proto.CodeSidecarExited)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	p.waitGone()
}

func FuzzParseChecks(f *testing.F) {
	f.Add("[ok] a: b\n[missing] c: d\n  e\n")
	f.Add("[] x\n[ok]\n[ok] : \n\t\n \r\n[a[b]c]: d")
	f.Fuzz(func(t *testing.T, output string) {
		for _, c := range parseChecks(output) {
			if c.State == "" || strings.ContainsAny(c.Name+c.State, "\n\x1b") || strings.Contains(c.Text, "\x1b") {
				t.Errorf("%q gave %q", output, c)
			}
		}
	})
}
