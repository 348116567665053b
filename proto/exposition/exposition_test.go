package exposition_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto/exposition"
)

func TestPage(t *testing.T) {
	t.Parallel()
	plain := exposition.NewCounter("plain_total", "Without labels.")
	calls := exposition.NewCounter("calls_total", "Calls.", "tool", "outcome")
	calls.Add(2, "b", "ok")
	calls.Add(1, "b", "ok")
	calls.Add(1, "a", "} 1\nevil \"\\ 2é\xff")
	took := exposition.NewHistogram("took_seconds", "How long.", 100*time.Millisecond, time.Second)
	for _, d := range []time.Duration{time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, time.Minute} {
		took.Observe(d)
	}
	var page exposition.Page
	plain.Write(&page)
	calls.Write(&page)
	took.Write(&page)
	page.Gauge("bytes", "Bytes.", 123456789012)
	page.Count("seen_total", "Seen.", 0.25)
	want := `# HELP plain_total Without labels.
# TYPE plain_total counter
plain_total 0
# HELP calls_total Calls.
# TYPE calls_total counter
calls_total{tool="a",outcome="} 1\nevil \"\\ 2é�"} 1
calls_total{tool="b",outcome="ok"} 3
# HELP took_seconds How long.
# TYPE took_seconds histogram
took_seconds_bucket{le="0.1"} 2
took_seconds_bucket{le="1"} 3
took_seconds_bucket{le="+Inf"} 4
took_seconds_sum 60.601
took_seconds_count 4
# HELP bytes Bytes.
# TYPE bytes gauge
bytes 123456789012
# HELP seen_total Seen.
# TYPE seen_total counter
seen_total 0.25
`
	if d := cmp.Diff(want, page.String()); d != "" {
		t.Error(d)
	}
}
