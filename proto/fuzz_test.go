package proto_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
)

// Whatever is taken means the same when it is written and read again; whatever
// is refused is refused by a rule.
func FuzzDecodeLaunch(f *testing.F) {
	for _, name := range []string{"launch-minimal.json", "launch-full.json", "launch-original.json"} {
		f.Add(readGolden(f, name))
	}
	for _, text := range []string{"", "{}", "[", with("port", 1e3, "lifeline", true) + "\n{}", with("stop_at", "2026-11-30", "viewport", object{"width": 5}),
		with("storage_state", object{"cookies": []any{object{"name": "", "value": "", "domain": ".", "path": ""}}}), with("live", object{"origins": []any{"http://[::1]:1"}})} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, warnings, err := proto.DecodeLaunch(data, parseURL)
		for _, w := range warnings {
			if !strings.HasPrefix(w.Message, w.Key+" ") || strings.ContainsAny(w.Message, "\r\n") {
				t.Errorf("warning %q", w.Message)
			}
		}
		if err != nil {
			var le *proto.LaunchError
			if !errors.As(err, &le) || len(le.Failures) == 0 || !errors.Is(err, proto.CodeConfigInvalid) {
				t.Fatalf("refused by %v", err)
			}
			return
		}
		again, err := l.Encode()
		if err != nil {
			t.Fatal(err)
		}
		l2, warnings, err := proto.DecodeLaunch(again, parseURL)
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v %v", again, err, warnings)
		}
		if diff := cmp.Diff(l, l2); diff != "" {
			t.Errorf("%s: %s", again, diff)
		}

		// The reader of the stream agrees with the decoder of the text.
		s, err := proto.ReadLaunch(bytes.NewReader(data))
		if err != nil || s.Lifeline != l.Lifeline {
			t.Fatalf("the stream is refused: %v", err)
		}
		rest, err := io.ReadAll(s.Rest)
		if err != nil || len(bytes.TrimSpace(rest)) > 0 {
			t.Errorf("the rest is %q, %v", rest, err)
		}
	})
}

// No byte of a stream is lost, and none is read twice.
func FuzzReadLaunch(f *testing.F) {
	f.Add([]byte(with("lifeline", true) + "\n{\"type\":\"stop\"}\n"))
	f.Add([]byte(with() + "x"))
	f.Add([]byte("{}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := proto.ReadLaunch(bytes.NewReader(data))
		if err != nil {
			if !errors.Is(err, proto.CodeConfigInvalid) {
				t.Error(err)
			}
			return
		}
		rest, err := io.ReadAll(s.Rest)
		if err != nil {
			t.Fatal(err)
		}
		got := append(bytes.Clone(s.Launch), rest...)
		want := bytes.TrimLeft(data, " \t\r\n")
		if !s.Lifeline {
			want = bytes.Trim(data, " \t\r\n")
		}
		if !bytes.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func FuzzReady(f *testing.F) {
	f.Add(readGolden(f, "ready.json"))
	f.Add(readGolden(f, "ready-live.json"))
	f.Add([]byte(`{"ready":true,"port":1e0,"version":"x","pid":1.0,"features":{"sandbox":null}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := proto.DecodeReady(data)
		if err != nil {
			checkMalformed(t, err, proto.CodeReadyMalformed)
			return
		}
		again, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if r2, err := proto.DecodeReady(again); err != nil || r2 != r {
			t.Errorf("%s: %+v, %v", again, r2, err)
		}
	})
}

func FuzzEvent(f *testing.F) {
	for _, line := range bytes.Split(readGolden(f, "events.jsonl"), []byte("\n")) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := proto.DecodeEvent(data)
		if err != nil {
			checkMalformed(t, err, proto.CodeMessageMalformed)
			return
		}
		again, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		e2, err := proto.DecodeEvent(again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if len(e.Detail) == 0 {
			e.Detail = nil // an empty detail is not written
		}
		if diff := cmp.Diff(e, e2); diff != "" {
			t.Errorf("%s: %s", again, diff)
		}
	})
}

func FuzzCommand(f *testing.F) {
	for _, line := range bytes.Split(readGolden(f, "commands.jsonl"), []byte("\n")) {
		f.Add(line)
	}
	f.Add([]byte(`{"type":"extend","stop_at":"2026-11-30T10:00Z"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := proto.DecodeCommand(data)
		if err != nil {
			checkMalformed(t, err, proto.CodeMessageMalformed, proto.CodeCommandUnknown, proto.CodeInvalidArguments)
			return
		}
		again, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		c2, err := proto.DecodeCommand(again)
		if diff := cmp.Diff(c, c2); err != nil || diff != "" {
			t.Errorf("%s: %v %s", again, err, diff)
		}
	})
}

// checkMalformed checks that a foreign line's error is of these codes and can
// be printed.
func checkMalformed(t *testing.T, err error, codes ...proto.Code) {
	t.Helper()
	if !slices.Contains(codes, proto.CodeOf(err)) {
		t.Errorf("code %q: %v", proto.CodeOf(err), err)
	}
	if strings.ContainsAny(err.Error(), "\x00\x1b\r\n") {
		t.Errorf("the error is %q", err)
	}
}

// Both halves: raw tickets as strangers send them, and signed payloads as a
// host with a defect could.
func FuzzTicket(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.Ticket, string(v.Claims))
	}
	f.Add("a.b", claimsJSON("name", "\n", "sub", nil))
	const token = "a token that no seed is signed with" // strangers can't sign
	verifier := func() *proto.TicketVerifier {
		return proto.NewTicketVerifier(proto.NewSecret(token), session, at(issued).now)
	}
	f.Fuzz(func(t *testing.T, raw, payload string) {
		if _, refusal := verifier().Verify(raw); refusal != "malformed" && refusal != "bad signature" {
			t.Errorf("a ticket of a stranger: %q", refusal)
		}
		v := verifier()
		signed := signRaw(token, payload)
		c, refusal := v.Verify(signed)
		if refusal != proto.TicketAccepted {
			return
		}
		if _, twice := v.Verify(signed); twice != "already used" {
			t.Errorf("used twice: %q", twice)
		}
		if c.ExpiresAt <= issued || c.ExpiresAt-c.IssuedAt > 60 || c.IssuedAt > issued+5 || c.SessionID != session {
			t.Errorf("accepted %+v", c)
		}
		// What was accepted can be signed, unless its text is too long to be.
		again, err := proto.SignTicket(proto.NewSecret(token), c)
		if err != nil {
			if len(signed) < 1024 {
				t.Error(err)
			}
			return
		}
		c2, refusal := verifier().Verify(again)
		if diff := cmp.Diff(c, c2); refusal != "" || diff != "" {
			t.Errorf("%q %s", refusal, diff)
		}
	})
}

func FuzzStorageState(f *testing.F) {
	f.Add([]byte(`{}`), "app.shop.test")
	f.Add(bytes.TrimSuffix(bytes.TrimPrefix(readGolden(f, "storage-state.json"), []byte(`{"storage_state":`)), []byte("}\n")), "app.shop.test")
	f.Add([]byte(`{"cookies":[{"name":"","value":"","domain":".0.1","path":"","expires":1e400}]}`), "127.0.0.1")
	f.Fuzz(func(t *testing.T, data []byte, host string) {
		s, err := proto.DecodeStorageState(data)
		if err != nil {
			checkMalformed(t, err, proto.CodeStorageInvalid)
			return
		}
		answer, err := s.Answer()
		if err != nil {
			t.Fatal(err)
		}
		s2, err := proto.DecodeStorageAnswer(answer)
		if diff := cmp.Diff(plainState(s), plainState(s2)); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
		for _, c := range s.Filter(host, "http://"+host).Cookies {
			domain := strings.Trim(strings.ToLower(strings.TrimPrefix(c.Domain, ".")), "[]")
			if bare := strings.Trim(strings.ToLower(host), "[]"); domain == "" || bare != domain && !strings.HasSuffix(bare, "."+domain) {
				t.Errorf("kept a cookie of %q for %q", c.Domain, host)
			}
		}
	})
}
