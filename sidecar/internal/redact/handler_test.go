package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

type shouter struct{}

func (shouter) String() string { return "I say sesame-street" }

type late struct{}

func (late) LogValue() slog.Value { return slog.StringValue("late sesame-street") }

func TestHandlerMasksEverywhere(t *testing.T) {
	m := NewMasker("sesame-street")
	type pair struct {
		Name string
		Raw  []byte
	}
	log := func(l *slog.Logger) {
		l = l.With("with", "sesame-street").WithGroup("sesame-street")
		l.Info("message sesame-street",
			"string", "sesame-street", "error", errors.New("for sesame-street"), "stringer", shouter{}, "late", late{},
			"bytes", []byte("sesame-street"), "struct", pair{"sesame-street", nil}, "inside", pair{"x", []byte("sesame-street")},
			"pointer", &pair{"sesame-street", nil}, "map", map[string]string{"sesame-street": "v"}, "slice", []string{"sesame-street"},
			slog.Group("group", "deep", slog.GroupValue(slog.String("deeper", "sesame-street"))),
			"sesame-street", 1, "number", 42, "plain", "hello")
	}
	for name, make := range map[string]func(*bytes.Buffer) slog.Handler{
		"json": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
	} {
		var out bytes.Buffer
		log(slog.New(m.Handler(make(&out))))
		text := out.String()
		if strings.Contains(text, "sesame") || m.String(text) != text || strings.Contains(text, "[115 101 115") {
			t.Errorf("%s: %s", name, text)
		}
		if !strings.Contains(text, "hello") || !strings.Contains(text, "42") || strings.Count(text, Mask) < 15 {
			t.Errorf("%s: too much or too little is masked: %s", name, text)
		}
		if name == "json" && !json.Valid(out.Bytes()) {
			t.Errorf("not JSON: %s", text)
		}
	}
	if m.Handler(slog.NewTextHandler(new(bytes.Buffer), nil)).Enabled(t.Context(), slog.LevelDebug) {
		t.Error("the level of the next handler is not asked for")
	}
}

func TestHandlerLeavesOtherValuesAlone(t *testing.T) {
	var out bytes.Buffer
	slog.New(NewMasker("sesame-street").Handler(slog.NewJSONHandler(&out, nil))).Info("m", "v", map[string]any{"a": 1.5, "b": []int{1}})
	if !strings.Contains(out.String(), `"v":{"a":1.5,"b":[1]}`) {
		t.Errorf("logged %s", out.String())
	}
}

func TestTypedArguments(t *testing.T) {
	for _, tt := range []struct{ tool, in, want string }{
		{"browser_type", `{"target":"e1","text":"hunter2","submit":true}`, `{"submit":true,"target":"e1","text":"*"}`},
		{"browser_type", `{"target":"<e1>","text":""}`, `{"target":"<e1>","text":"*"}`},
		{"browser_type", `{"text":["hunter2"],"n":12345678901234567890}`, `{"n":12345678901234567890,"text":"*"}`},
		{"browser_type", `{"text":"a","text":"hunter2"}`, `{"text":"*"}`},
		{"browser_type", `{"target":"e1"}`, `{"target":"e1"}`},
		{"browser_type", `{"text":"hunter2"`, `{}`},
		{"browser_type", `{"target":"e1"} "hunter2"`, `{}`},
		{"browser_type", `"hunter2"`, `{}`},
		{"browser_type", `null`, `{}`},
		{"browser_type", ``, `{}`},
		{"browser_fill_form", `{"fields":[{"name":"pw","value":"hunter2"},{"name":"ok","value":"true","target":"e2"}]}`,
			`{"fields":[{"name":"pw","value":"*"},{"name":"ok","target":"e2","value":"*"}]}`},
		{"browser_fill_form", `{"fields":{"value":"hunter2"}}`, `{"fields":"*"}`},
		{"browser_fill_form", `{"fields":["hunter2",{"value":{"x":"hunter2"}}]}`, `{"fields":["*",{"value":"*"}]}`},
		{"browser_fill_form", `{}`, `{}`},
		{"browser_handle_dialog", `{"accept":true,"promptText":"hunter2"}`, `{"accept":true,"promptText":"*"}`},
		{"browser_click", `{ "target" : "e1" }`, `{ "target" : "e1" }`},
		{"browser_evaluate", `not JSON`, `not JSON`},
	} {
		if got := TypedArguments(tt.tool, json.RawMessage(tt.in)); string(got) != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.tool, tt.in, got, tt.want)
		}
	}
}

// FuzzTypedArguments: the result is JSON, and a typed canary is never in it.
func FuzzTypedArguments(f *testing.F) {
	f.Add("browser_type", `{"target":"e1","text":"x"}`)
	f.Add("browser_fill_form", `{"fields":[{"name":"a","value":"x"}]}`)
	f.Fuzz(func(t *testing.T, tool, args string) {
		got := TypedArguments(tool, json.RawMessage(args))
		if string(got) != args && !json.Valid(got) {
			t.Fatalf("%s %q became %q", tool, args, got)
		}
		const canary = "c4n4ry-c4n4ry"
		whole, err := json.Marshal(map[string]any{"target": args, "text": canary, "fields": []any{map[string]any{"name": args, "value": canary}}})
		if err != nil || strings.Contains(args, canary) {
			return
		}
		if got := TypedArguments("browser_type", whole); strings.Count(string(got), canary) != 1 {
			t.Fatalf("browser_type: %s", got)
		}
		if got := TypedArguments("browser_fill_form", whole); strings.Count(string(got), canary) != 1 {
			t.Fatalf("browser_fill_form: %s", got)
		}
	})
}
