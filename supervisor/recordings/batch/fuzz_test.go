package batch

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

// Whatever a sender says, a batch is refused with a code or all of its events are
// such as can be kept and played.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"sent_at":1800000000000,"recording_events":[{"kind":"marker","timestamp":1800000000000,"data":{"label":"x"}}]}`,
		`{"sent_at":"2027-01-15T08:00:00Z","recording_events":[{"kind":"rrweb"},{"kind":"action","data":[[]]}]}`,
		`{"sent_at":1e12,"sent_at":-0,"recording_events":[{"kind":"console","timestamp":1e-400,"data":null}]}`,
		`{"recording_events":[{}]`, `[]`, `null`, ``, `{"sent_at":{},"recording_events":[1]}`, `{"a":"\"[[["}`,
	} {
		f.Add([]byte(seed), true)
	}
	received := time.UnixMilli(1_800_000_000_000)
	f.Fuzz(func(t *testing.T, body []byte, actions bool) {
		b, err := Parse(body, received, actions)
		if err != nil {
			if !errors.Is(err, proto.CodeRecordingInvalid) {
				t.Fatalf("no code: %v", err)
			}
			return
		}
		if len(b.Events) == 0 {
			t.Fatal("an empty batch is taken")
		}
		for _, e := range b.Events {
			if off := e.Time - 1.8e12; !taken(e.Kind, actions) || off < -86_400_001 || off > 60_001 {
				t.Errorf("%+v is taken", e)
			}
			if _, err := json.Marshal(e); err != nil {
				t.Errorf("what is taken can't be kept: %v", err)
			}
		}
	})
}
