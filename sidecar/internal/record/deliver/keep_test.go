package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pillion-browser/pillion/proto"
)

// shelf keeps batches in the way that a test says, call by call.
type shelf struct {
	mu    sync.Mutex
	says  []error
	calls []string
	kept  []string
}

func (s *shelf) keep(_ context.Context, name string, events []json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, number, _ := strings.Cut(name, "-")
	s.calls = append(s.calls, number)
	if len(s.says) > 0 {
		err := s.says[0]
		s.says = s.says[1:]
		if err != nil {
			return err
		}
	}
	for _, e := range events {
		s.kept = append(s.kept, string(e))
	}
	return nil
}

// Batches that are kept here come in order, again under the same name after a
// failure, and not at all once the shelf is full.
func TestKeepingInsteadOfPosting(t *testing.T) {
	full := &proto.Error{Code: proto.CodeRecordingLimit, Message: "full"}
	for name, c := range map[string]struct {
		says        []error
		calls, kept string
		lost        map[Reason]int
	}{
		"in order":          {nil, "[1 2 3]", `["a" "b" "c"]`, nil},
		"once more":         {[]error{nil, errors.New("the disk is full")}, "[1 2 2 3]", `["a" "b" "c"]`, nil},
		"the shelf's end":   {[]error{nil, full}, "[1 2]", `["a"]`, map[Reason]int{LostFull: 2}},
		"full at the start": {[]error{full}, "[1]", `[]`, map[Reason]int{LostFull: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &shelf{says: c.says}
			d, err := New(Options{Keep: s.keep, BatchEvents: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{"a", "b", "c"} {
				d.Add(Item{Class: Fact, JSON: fmt.Appendf(nil, "%q", word)})
			}
			report := d.Close(t.Context())
			if got := fmt.Sprint(s.calls); got != c.calls {
				t.Errorf("calls %s, want %s", got, c.calls)
			}
			if got := fmt.Sprint(s.kept); got != c.kept {
				t.Errorf("kept %s, want %s", got, c.kept)
			}
			if fmt.Sprint(report.Dropped) != fmt.Sprint(c.lost) && len(report.Dropped)+len(c.lost) > 0 || report.Sent != len(s.kept) {
				t.Errorf("account %+v", report)
			}
		})
	}
}
