package recordings_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/supervisor/recordings"
)

// now is the store's clock, where a test does not move it.
const now = 1_800_000_000_000

// lab is a store that is served, and its clock.
type lab struct {
	*testing.T
	store *recordings.Store
	url   string
	path  string
	clock time.Time
}

func newLab(t *testing.T) *lab {
	l := &lab{T: t, path: filepath.Join(t.TempDir(), "recordings.db"), clock: time.UnixMilli(now)}
	var err error
	if l.store, err = recordings.Open(t.Context(), l.path, recordings.Options{Now: func() time.Time { return l.clock }}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.store.Close() })
	mux := http.NewServeMux()
	mux.Handle("/ingest/", http.StripPrefix("/ingest", l.store.Ingest()))
	mux.Handle("/see/", http.StripPrefix("/see", l.store.Handler()))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	l.url = server.URL
	return l
}

func (l *lab) begin(about recordings.About) recordings.Intake {
	l.Helper()
	in, err := l.store.Begin(l.Context(), about)
	if err != nil {
		l.Fatal(err)
	}
	return in
}

// post sends a body as a sidecar does; edit changes the request.
func (l *lab) post(in recordings.Intake, body string, edit ...func(*http.Request)) (status int, answer string) {
	l.Helper()
	launch := in.Launch(l.url + "/ingest/")
	req, err := http.NewRequest(http.MethodPost, launch.URL, strings.NewReader(body))
	if err != nil {
		l.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+launch.Token.Reveal())
	for _, e := range edit {
		e(req)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		l.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		l.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(string(text))
}

// kept is the recording's events as JSON lines.
func (l *lab) kept(in recordings.Intake) string {
	l.Helper()
	var text strings.Builder
	if err := l.store.Archive().WriteTo(l.Context(), in.ID, &text); err != nil {
		l.Fatal(err)
	}
	return text.String()
}

func body(sentAt string, events ...string) string {
	return fmt.Sprintf(`{"sent_at":%s,"recording_events":[%s]}`, sentAt, strings.Join(events, ","))
}

func event(kind string, at any) string {
	return fmt.Sprintf(`{"kind":%q,"timestamp":%v,"data":{"label":"x"}}`, kind, at)
}

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.String()
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// Every rule of the ingest, one batch each: its answer, and that what is refused is
// refused whole.
func TestAnswers(t *testing.T) {
	l := newLab(t)
	good := event("marker", now)
	for name, c := range map[string]struct {
		body   string
		edit   func(*http.Request)
		status int
	}{
		"in order":                 {body(fmt.Sprint(now), good), nil, 201},
		"each kind":                {body(fmt.Sprint(now), event("rrweb", now), event("console", now), good), nil, 201},
		"compressed":               {zipped(body(fmt.Sprint(now), good)), header("Content-Encoding", "gzip"), 201},
		"identity":                 {body(fmt.Sprint(now), good), header("Content-Encoding", "identity"), 201},
		"ISO time":                 {body(`"2027-01-15T08:00:00Z"`, good), nil, 201},
		"no time":                  {body(fmt.Sprint(now), `{"kind":"marker","data":{}}`), nil, 201},
		"no data":                  {body(fmt.Sprint(now), `{"kind":"marker","timestamp":1800000000000}`), nil, 201},
		"a fraction":               {body(fmt.Sprint(now), event("rrweb", "1800000000000.25")), nil, 201},
		"a day old":                {body(fmt.Sprint(now), event("marker", now-86_400_000)), nil, 201},
		"a minute ahead":           {body(fmt.Sprint(now), event("marker", now+60_000)), nil, 201},
		"512 deep":                 {body(fmt.Sprint(now), `{"kind":"marker","data":`+strings.Repeat("[", 509)+strings.Repeat("]", 509)+"}"), nil, 201},
		"brackets in a string":     {body(fmt.Sprint(now), `{"kind":"marker","data":"\"`+strings.Repeat("[", 600)+`"}`), nil, 201},
		"an unknown key":           {`{"recording_events":[` + good + `],"sent_at":0.5e0,"x":1}`, nil, 422}, // its events are of another time
		"another token":            {body(fmt.Sprint(now), good), header("Authorization", "Bearer aarec_"+strings.Repeat("1", 32)), 401},
		"no token":                 {body(fmt.Sprint(now), good), func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		"another recording":        {body(fmt.Sprint(now), good), func(r *http.Request) { r.URL.Path = "/ingest/other" }, 401},
		"not a POST":               {body(fmt.Sprint(now), good), func(r *http.Request) { r.Method = http.MethodPut }, 405},
		"not gzip":                 {body(fmt.Sprint(now), good), header("Content-Encoding", "gzip"), 400},
		"cut gzip":                 {zipped(body(fmt.Sprint(now), good))[:40], header("Content-Encoding", "gzip"), 400},
		"another encoding":         {body(fmt.Sprint(now), good), header("Content-Encoding", "br"), 415},
		"two encodings":            {body(fmt.Sprint(now), good), header("Content-Encoding", "gzip, gzip"), 415},
		"too large":                {body(fmt.Sprint(now), good) + strings.Repeat(" ", 1<<20), nil, 413},
		"too large when inflated":  {zipped(body(fmt.Sprint(now), good) + strings.Repeat(" ", 1<<20)), header("Content-Encoding", "gzip"), 413},
		"nothing":                  {"", nil, 422},
		"not JSON":                 {"{", nil, 422},
		"a list":                   {"[" + body(fmt.Sprint(now), good) + "]", nil, 422},
		"null":                     {"null", nil, 422},
		"no events":                {body(fmt.Sprint(now)), nil, 422},
		"events that are no list":  {`{"sent_at":1800000000000,"recording_events":{}}`, nil, 422},
		"no sent_at":               {`{"recording_events":[` + good + `]}`, nil, 422},
		"sent_at that is no time":  {body(`"soon"`, good), nil, 422},
		"sent_at before 1970":      {body("-1", good), nil, 422},
		"sent_at after 9999":       {body("253402300800000", good), nil, 422},
		"keys in another case":     {strings.ToUpper(body(fmt.Sprint(now))), nil, 422},
		"a kind of the server's":   {body(fmt.Sprint(now), event("human_input", now)), nil, 422},
		"an action, unasked":       {body(fmt.Sprint(now), event("action", now)), nil, 422},
		"no kind":                  {body(fmt.Sprint(now), `{"timestamp":1800000000000}`), nil, 422},
		"an event that is a text":  {body(fmt.Sprint(now), `"marker"`), nil, 422},
		"an event that is null":    {body(fmt.Sprint(now), "null"), nil, 422},
		"a time that is a text":    {body(fmt.Sprint(now), event("marker", `"1800000000000"`)), nil, 422},
		"more than a day old":      {body(fmt.Sprint(now), event("marker", now-86_400_001)), nil, 422},
		"more than a minute ahead": {body(fmt.Sprint(now), event("marker", now+60_001)), nil, 422},
		"endless time":             {body(fmt.Sprint(now), event("marker", "1e999")), nil, 422},
		"513 deep":                 {body(fmt.Sprint(now), `{"kind":"marker","data":`+strings.Repeat("[", 510)+strings.Repeat("]", 510)+"}"), nil, 422},
		"one bad event of three":   {body(fmt.Sprint(now), good, event("other", now), good), nil, 422},
	} {
		t.Run(name, func(t *testing.T) {
			l := &lab{T: t, store: l.store, url: l.url}
			in := l.begin(recordings.About{})
			edit := c.edit
			if edit == nil {
				edit = func(*http.Request) {}
			}
			status, said := l.post(in, c.body, edit)
			if status != c.status {
				t.Fatalf("answered with %d %s, want %d", status, said, c.status)
			}
			n := strings.Count(l.kept(in), "\n")
			if status == 201 {
				var answer map[string]any
				if json.Unmarshal([]byte(said), &answer) != nil || answer["stored"] != float64(n) || n == 0 || len(answer) != 2 {
					t.Errorf("answer %s, kept %d", said, n)
				}
				return
			}
			var refused struct{ Error, Code string }
			if json.Unmarshal([]byte(said), &refused) != nil || refused.Error == "" || n != 0 {
				t.Errorf("answer %s, kept %d", said, n)
			}
			if (refused.Code == "recording_limit") != (status == 413) {
				t.Errorf("answer %s", said)
			}
			if strings.Contains(said, in.Token.Reveal()) {
				t.Error("the answer says the token")
			}
		})
	}
}

// Every time is moved by how far the sender's clock is off.
func TestTimesAreMovedToThisClock(t *testing.T) {
	l := newLab(t)
	in := l.begin(recordings.About{})
	sent := int64(now - 5000)
	status, said := l.post(in, body(fmt.Sprint(sent), event("marker", sent-100), `{"kind":"console","data":1}`))
	if status != 201 || said != `{"stored":2,"clock_offset_ms":5000}` {
		t.Errorf("%d %s", status, said)
	}
	want := `{"kind":"marker","timestamp":1799999999900,"data":{"label":"x"}}` + "\n" + `{"kind":"console","timestamp":1800000000000,"data":1}` + "\n"
	if got := l.kept(in); got != want {
		t.Errorf("kept %s", got)
	}
}

func TestTokens(t *testing.T) {
	l := newLab(t)
	begin := l.clock
	in := l.begin(recordings.About{Actions: true})
	short := l.begin(recordings.About{Expires: l.clock.Add(time.Minute)})
	if !regexp.MustCompile(`^aarec_[1-9A-HJ-NP-Za-km-z]{32}$`).MatchString(in.Token.Reveal()) || in.Token.Equal(short.Token) {
		t.Error("the token is not as it should be")
	}
	try := func(in recordings.Intake, want int) {
		t.Helper()
		at := l.clock.UnixMilli()
		if status, said := l.post(in, body(fmt.Sprint(at), event("marker", at))); status != want {
			t.Errorf("after %v: %d %s, want %d", l.clock.Sub(begin), status, said, want)
		}
	}
	at := fmt.Sprint(now)
	if status, said := l.post(in, body(at, event("action", now))); status != 201 {
		t.Errorf("an action that was asked for: %d %s", status, said)
	}
	// The token of one recording opens no other.
	if status, _ := l.post(in, body(at, event("marker", now)), header("Authorization", "Bearer "+short.Token.Reveal())); status != 401 {
		t.Errorf("another's token: %d", status)
	}
	try(short, 201)
	l.clock = begin.Add(time.Minute)
	try(short, 401) // the sandbox is over
	try(in, 201)
	l.clock = begin.Add(2*time.Hour - time.Second)
	try(in, 201)
	l.clock = begin.Add(2 * time.Hour)
	try(in, 401)

	l.clock = begin
	done := l.begin(recordings.About{})
	try(done, 201)
	if err := l.store.Finish(t.Context(), done.ID); err != nil {
		t.Fatal(err)
	}
	try(done, 401)

	// Of a store that was closed and opened again, nothing is open.
	left := l.begin(recordings.About{})
	l.store.Close()
	again, err := recordings.Open(t.Context(), l.path, recordings.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	all, err := again.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		want := "interrupted"
		if r.ID == done.ID {
			want = "finished"
		}
		if r.How != want {
			t.Errorf("%s: %s, want %s", r.ID, r.How, want)
		}
	}
	if len(all) != 4 || all[0].ID != left.ID {
		t.Errorf("%+v", all)
	}
}

// A recording that is full refuses each further batch, and nothing else does.
func TestAFullRecording(t *testing.T) {
	l := newLab(t)
	in, other := l.begin(recordings.About{MaxEvents: 3}), l.begin(recordings.About{MaxBytes: 100})
	two := body(fmt.Sprint(now), event("marker", now), event("marker", now))
	for i, want := range []int{201, 413, 413} {
		if status, said := l.post(in, two); status != want || status == 413 && !strings.Contains(said, `"code":"recording_limit"`) {
			t.Errorf("batch %d: %d %s", i, status, said)
		}
	}
	if status, said := l.post(other, two); status != 413 {
		t.Errorf("over its bytes: %d %s", status, said)
	}
	if n := strings.Count(l.kept(in), "\n"); n != 2 {
		t.Errorf("kept %d", n)
	}
}

// A batch whose answer was lost comes again under its name.
func TestABatchThatComesAgain(t *testing.T) {
	l := newLab(t)
	in := l.begin(recordings.About{})
	text := body(fmt.Sprint(now), event("marker", now))
	for _, name := range []string{"a-1", "a-1", "a-2", strings.Repeat("x", 200), strings.Repeat("x", 200), ""} {
		if status, said := l.post(in, text, header("Pillion-Batch", name)); status != 201 || !strings.Contains(said, `"stored":1`) {
			t.Errorf("%q: %d %s", name, status, said)
		}
	}
	if n := strings.Count(l.kept(in), "\n"); n != 5 {
		t.Errorf("kept %d", n)
	}
}

// A host may name its recordings, as far as a name is an address.
func TestNames(t *testing.T) {
	l := newLab(t)
	for _, name := range []string{"session-1_A", strings.Repeat("a", 100)} {
		if in := l.begin(recordings.About{ID: name}); in.ID != name {
			t.Errorf("%q became %q", name, in.ID)
		}
	}
	for _, name := range []string{"session-1_A", "assets", "..", "a/b", "recordings.json", "ä", strings.Repeat("a", 101)} {
		if in, err := l.store.Begin(t.Context(), recordings.About{ID: name}); err == nil {
			t.Errorf("%q is a recording: %+v", name, in)
		}
	}
}
