package deliver_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
	"github.com/pillion-browser/pillion/sidecar/internal/record/deliver"
)

func TestMain(m *testing.M) { apptest.Main(m) }

// event is the n-th of a test's events.
func event(n int) deliver.Item {
	return deliver.Item{Class: deliver.Fact, JSON: fmt.Appendf(nil, `{"kind":"marker","timestamp":%d,"data":{"label":"%d"}}`, time.Now().UnixMilli(), n)}
}

// labels of what the ingest has stored, in its order.
func labels(i *apptest.Ingest) (all []string) {
	for _, e := range i.Events() {
		all = append(all, e.Label())
	}
	return all
}

func series(from, to int) (all []string) {
	for n := from; n < to; n++ {
		all = append(all, fmt.Sprint(n))
	}
	return all
}

// deliver sends batches of two events and returns the account.
func send(t *testing.T, o deliver.Options, batches int, patience time.Duration) (deliver.Report, string) {
	t.Helper()
	var log bytes.Buffer
	o.Token, o.BatchEvents, o.Log = proto.NewSecret(apptest.IngestToken), 2, slog.New(slog.NewTextHandler(&log, nil))
	d, err := deliver.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 * batches {
		d.Add(event(n))
	}
	apptest.Await(t, "the queue to empty", func() bool { return d.Backlog() == 0 })
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r := d.Close(ctx)
	if r.Recorded != r.Sent+r.Lost() || r.Recorded != 2*batches {
		t.Errorf("the account does not add up: %+v", r)
	}
	if strings.Contains(log.String(), apptest.IngestToken) {
		t.Errorf("the token is logged: %s", log.String())
	}
	return r, log.String()
}

// TestIngestFaults is the matrix: what an ingest does, and what becomes of ten
// batches of two events.
func TestIngestFaults(t *testing.T) {
	status := func(codes ...int) (all []apptest.Reply) {
		for _, c := range codes {
			all = append(all, apptest.Reply{Status: c})
		}
		return all
	}
	type lost = map[deliver.Reason]int
	for name, c := range map[string]struct {
		script []apptest.Reply
		lost   lost
		stored []string
		posts  int
	}{
		"healthy":                         {nil, nil, series(0, 20), 10},
		"one 500":                         {status(500), nil, series(0, 20), 11},
		"three 500":                       {status(500, 502, 503), nil, series(0, 20), 13},
		"four 500":                        {status(500, 500, 500, 500), lost{deliver.LostAway: 2}, series(2, 20), 13},
		"429 with Retry-After 0":          {[]apptest.Reply{{Status: 429, Header: map[string]string{"Retry-After": "0"}}}, nil, series(0, 20), 11},
		"429 with Retry-After 1":          {[]apptest.Reply{{Status: 429, Header: map[string]string{"Retry-After": "1"}}}, nil, series(0, 20), 11},
		"429 with Retry-After a date":     {[]apptest.Reply{{Status: 429, Header: map[string]string{"Retry-After": "Mon, 30 Nov 2020 12:00:09 GMT"}}}, nil, series(0, 20), 11},
		"429 with Retry-After of garbage": {[]apptest.Reply{{Status: 429, Header: map[string]string{"Retry-After": "\x7f!"}}}, nil, series(0, 20), 11},
		"413, then both halves":           {status(413), nil, series(0, 20), 12},
		"413 down to one event":           {status(413, 413), lost{deliver.LostRefused: 1}, series(1, 20), 12},
		"422 of a pair":                   {status(422, 422, 422), lost{deliver.LostRefused: 2}, series(2, 20), 12},
		"401":                             {status(201, 401), lost{deliver.LostToken: 18}, series(0, 2), 2},
		"403":                             {status(403), lost{deliver.LostToken: 20}, nil, 1},
		"301":                             {[]apptest.Reply{{Status: 301, Header: map[string]string{"Location": "/elsewhere"}}}, lost{deliver.LostRedirected: 2}, series(2, 20), 10},
		"307":                             {[]apptest.Reply{{Status: 307, Header: map[string]string{"Location": "/elsewhere"}}}, lost{deliver.LostRedirected: 2}, series(2, 20), 10},
		"404":                             {status(404), lost{deliver.LostRefused: 2}, series(2, 20), 10},
		"gzip refused":                    {status(415), nil, series(0, 20), 11},
		"reset":                           {[]apptest.Reply{{Reset: true}}, nil, series(0, 20), 11},
		"reset four times":                {slices.Repeat([]apptest.Reply{{Reset: true}}, 4), lost{deliver.LostAway: 2}, series(2, 20), 13},
		"never answers":                   {[]apptest.Reply{{Status: 201, Delay: time.Hour}, {Status: 500, Delay: time.Hour}}, nil, nil, 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ingest := apptest.NewIngest(t, 0)
			ingest.Script(c.script...)
			r, log := send(t, deliver.Options{URL: ingest.URL(), PostTimeout: time.Second}, 10, 30*time.Second)
			if !maps.Equal(r.Dropped, c.lost) || r.Sent != 20-r.Lost() {
				t.Errorf("account %+v, want losses %v", r, c.lost)
			}
			if got := labels(ingest); c.stored != nil && !slices.Equal(got, c.stored) {
				t.Errorf("stored %v", got)
			}
			if n := len(ingest.Batches()); n != c.posts {
				t.Errorf("%d posts, want %d", n, c.posts)
			}
			for _, b := range ingest.Batches() {
				if b.Header.Get("Authorization") != "Bearer "+apptest.IngestToken || b.Header.Get("Content-Type") != "application/json" {
					t.Errorf("header %v", b.Header)
				}
			}
			if c.lost[deliver.LostToken] > 0 && strings.Count(log, "refused the recording token") != 1 {
				t.Errorf("the log says %s", log)
			}
		})
	}
}

// A store that has a batch can tell it from the next although its answer was lost.
func TestAttemptsCarryTheSameNumber(t *testing.T) {
	t.Parallel()
	ingest := apptest.NewIngest(t, 0)
	ingest.Script(apptest.Reply{Reset: true}, apptest.Reply{Status: 500})
	send(t, deliver.Options{URL: ingest.URL()}, 2, 20*time.Second)
	var ids []string
	for _, b := range ingest.Batches() {
		ids = append(ids, b.Header.Get("Pillion-Batch"))
	}
	if len(ids) != 4 || ids[0] == "" || ids[0] != ids[1] || ids[0] != ids[2] || ids[0] == ids[3] {
		t.Errorf("batches %v", ids)
	}
}

func TestIngestThatIsNotThere(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + ln.Addr().String() + "/recordings?key=in-the-address"
	ln.Close()
	r, log := send(t, deliver.Options{URL: url}, 1, 20*time.Second)
	if r.Dropped[deliver.LostAway] != 2 {
		t.Errorf("account %+v", r)
	}
	if strings.Contains(log, "in-the-address") {
		t.Errorf("the address is logged: %s", log)
	}
	// TLS where there is none.
	plain := apptest.Serve(t, http.NotFoundHandler())
	if r, _ := send(t, deliver.Options{URL: strings.Replace(plain, "http:", "https:", 1)}, 1, 20*time.Second); r.Dropped[deliver.LostAway] != 2 {
		t.Errorf("account %+v", r)
	}
}

// An answer that drips is a success when its status is, and holds up nothing but
// its own batch, for the time of one post.
func TestIngestThatDrips(t *testing.T) {
	t.Parallel()
	var posts atomic.Int32
	url := apptest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		posts.Add(1)
		w.WriteHeader(201)
		for range 100 {
			if _, err := w.Write([]byte(" ")); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}))
	r, _ := send(t, deliver.Options{URL: url, PostTimeout: 300 * time.Millisecond}, 3, 20*time.Second)
	if r.Sent != 6 || posts.Load() != 3 {
		t.Errorf("account %+v, %d posts", r, posts.Load())
	}
}

func TestCloseIsBounded(t *testing.T) {
	t.Parallel()
	ingest := apptest.NewIngest(t, 0)
	ingest.Script(slices.Repeat([]apptest.Reply{{Delay: time.Hour}}, 100)...)
	d, err := deliver.New(deliver.Options{URL: ingest.URL(), Token: proto.NewSecret(apptest.IngestToken), BatchEvents: 2})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 21 {
		d.Add(event(n))
	}
	apptest.Await(t, "the first post", func() bool { return len(ingest.Batches()) > 0 })
	begin := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	r := d.Close(ctx)
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if r.Recorded != 21 || r.Dropped[deliver.LostAtStop] != 21 {
		t.Errorf("account %+v", r)
	}
	d.Add(event(99))
}

// What waits when the end comes is sent, the last batch too, which is not full.
func TestCloseSendsTheRest(t *testing.T) {
	t.Parallel()
	ingest := apptest.NewIngest(t, 0)
	d, err := deliver.New(deliver.Options{URL: ingest.URL(), Token: proto.NewSecret(apptest.IngestToken)})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		d.Add(event(n))
	}
	if r := d.Close(context.Background()); r.Sent != 3 || len(ingest.Batches()) != 1 || len(ingest.Problems()) != 0 {
		t.Errorf("account %+v, %d posts, %v", r, len(ingest.Batches()), ingest.Problems())
	}
}

func TestASilentSecondSendsWhatThereIs(t *testing.T) {
	t.Parallel()
	ingest := apptest.NewIngest(t, 0)
	d, err := deliver.New(deliver.Options{URL: ingest.URL(), Token: proto.NewSecret(apptest.IngestToken)})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	d.Add(event(0))
	apptest.Await(t, "the batch", func() bool { return len(ingest.Events()) == 1 })
	if took := time.Since(begin); took < time.Second {
		t.Errorf("it was sent after %v", took)
	}
	d.Close(context.Background())
}

func TestAnEventThatIsTooLarge(t *testing.T) {
	t.Parallel()
	ingest := apptest.NewIngest(t, 4096)
	var told []deliver.Reason
	d, err := deliver.New(deliver.Options{
		URL: ingest.URL(), Token: proto.NewSecret(apptest.IngestToken), BatchBytes: 4096,
		OnLost: func(r deliver.Reason, items []deliver.Item) { told = append(told, r) },
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Add(deliver.Item{JSON: bytes.Repeat([]byte(" "), d.Largest()+1)})
	d.Add(event(0))
	d.Invalid(3)
	d.Lost(deliver.LostInPage, deliver.Item{Tab: 1}, deliver.Item{Tab: 2})
	if n := d.Unsaid(); n != 3 || d.Unsaid() != 0 {
		t.Errorf("%d losses are not said", n)
	}
	r := d.Close(context.Background())
	if r.Recorded != 4 || r.Sent != 1 || r.Dropped[deliver.LostTooLarge] != 1 || r.Dropped[deliver.LostInPage] != 2 || r.Invalid != 3 {
		t.Errorf("account %+v", r)
	}
	if !slices.Equal(told, []deliver.Reason{deliver.LostTooLarge, deliver.LostInPage}) {
		t.Errorf("told of %v", told)
	}
}

// An ingest that is down for longer than memory lasts, and a spool.
func TestSpoolOutlastsAnIngestThatIsDown(t *testing.T) {
	t.Parallel()
	ingest := apptest.NewIngest(t, 0)
	ingest.Script(slices.Repeat([]apptest.Reply{{Status: 503}}, 4)...) // 3.5 s and one pause of 5 s
	r, _ := send(t, deliver.Options{URL: ingest.URL(), SpoolDir: t.TempDir(), SpoolBytes: 1 << 20}, 500, 60*time.Second)
	if r.Sent != 1000 || r.Lost() != 0 {
		t.Errorf("account %+v", r)
	}
	if got := labels(ingest); !slices.Equal(got, series(0, 1000)) {
		t.Errorf("stored %v", got)
	}
}

// The same without one: the oldest are lost, and counted.
func TestMemoryAloneLosesTheOldest(t *testing.T) {
	t.Parallel()
	ingest := apptest.NewIngest(t, 0)
	ingest.Script(apptest.Reply{Delay: 500 * time.Millisecond})
	r, _ := send(t, deliver.Options{URL: ingest.URL()}, 500, 60*time.Second)
	stored := labels(ingest)
	if len(stored) != r.Sent || r.Dropped[deliver.LostInQueue] != 1000-len(stored) || r.Sent < 100 || r.Sent > 104 {
		t.Errorf("account %+v, stored %d", r, len(stored))
	}
	if !slices.Equal(stored[len(stored)-100:], series(900, 1000)) {
		t.Errorf("stored %v", stored)
	}
}
