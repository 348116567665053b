package proto_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

func TestSecretIsNeverShown(t *testing.T) {
	const text = "CANARY-canary-4711"
	s := proto.NewSecret(text)
	type exported struct{ S proto.Secret }
	type hidden struct{ s proto.Secret } // fmt can't call methods here
	shapes := []any{s, &s, []proto.Secret{s}, map[string]proto.Secret{"k": s}, exported{s}, &exported{s}, hidden{s}, &hidden{s}, []hidden{{s}}}
	var shown []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%10s", "%T %[1]v"} {
		for _, shape := range shapes {
			shown = append(shown, fmt.Sprintf(verb, shape))
		}
	}
	shown = append(shown, fmt.Sprint(s), s.String(), s.GoString(), fmt.Errorf("wrap %v", s).Error())
	for _, shape := range shapes {
		var text, js bytes.Buffer
		slog.New(slog.NewTextHandler(&text, nil)).Info("m", "s", shape)
		slog.New(slog.NewJSONHandler(&js, nil)).Info("m", "s", shape)
		shown = append(shown, text.String(), js.String())
	}
	for _, s := range shown {
		if low := strings.ToLower(s); strings.Contains(low, "canary") || strings.Contains(low, fmt.Sprintf("%x", text)) {
			t.Errorf("shown: %s", s)
		}
	}
	if got := fmt.Sprintf("%v %s", s, exported{s}); got != "[secret] {[secret]}" {
		t.Errorf("the mask is %s", got)
	}
}

func TestSecretIsNeverEncoded(t *testing.T) {
	s := proto.NewSecret("CANARY")
	for _, v := range []any{s, &s, map[string]any{"token": s}, struct{ Token proto.Secret }{s}, map[proto.Secret]int{s: 1}} {
		if data, err := json.Marshal(v); err == nil {
			t.Errorf("json wrote %s", data)
		} else if strings.Contains(err.Error(), "CANARY") {
			t.Errorf("the error shows it: %v", err)
		}
	}
	if data, err := xml.Marshal(struct{ Token proto.Secret }{s}); err == nil {
		t.Errorf("xml wrote %s", data)
	}
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(struct{ Token proto.Secret }{s}); err == nil || strings.Contains(buf.String(), "CANARY") {
		t.Errorf("gob wrote %q, %v", buf.String(), err)
	}
}

func TestSecretEqual(t *testing.T) {
	a, b, c := proto.NewSecret("x"), proto.NewSecret("x"), proto.NewSecret("y")
	if !a.Equal(b) || a.Equal(c) || a.Equal(proto.Secret{}) || !(proto.Secret{}).Equal(proto.NewSecret("")) {
		t.Error("Equal is wrong")
	}
	if !a.Matches("x") || a.Matches("y") || a.Matches("") || (proto.Secret{}).Matches("") || (proto.Secret{}).Matches("x") {
		t.Error("Matches is wrong")
	}
	if a.Reveal() != "x" || a.IsZero() || !proto.NewSecret("").IsZero() || (proto.Secret{}).Reveal() != "" {
		t.Error("Reveal or IsZero is wrong")
	}
}
