package app_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/testdata/app"
)

// TestEveryPageIsWhole follows each link and asset of the laboratory's index
// one step deep: pages answer 200 under a policy, and refer to nothing outside
// and to no file that is missing.
func TestEveryPageIsWhole(t *testing.T) {
	v := visit(t)
	_, _, index := v.get("/lab")
	attribute := regexp.MustCompile(`(?:src|href)="([^"]*)"`)
	pages := map[string]bool{"/": true, "/login": true, "/no-such-page": true}
	for _, m := range attribute.FindAllStringSubmatch(index, -1) {
		pages[m[1]] = true
	}
	if len(pages) < 30 {
		t.Fatalf("only %d pages in the index", len(pages))
	}
	withoutPolicy := map[string]bool{"/leave": true}
	for page := range pages {
		if strings.HasPrefix(page, "/static/") {
			continue
		}
		resp, err := v.http.Get(v.base + page)
		if err != nil {
			t.Fatal(err)
		}
		status, _, body := v.read(resp)
		if status != 200 && page != "/no-such-page" {
			t.Errorf("%s: status %d", page, status)
		}
		if (resp.Header.Get("Content-Security-Policy") == "") != withoutPolicy[page] {
			t.Errorf("%s: policy %q", page, resp.Header.Get("Content-Security-Policy"))
		}
		if strings.Count(body, "<h1>")+strings.Count(body, `id="view"`) < 1 || strings.Contains(body, "ZgotmplZ") {
			t.Errorf("%s: no heading, or the template refused a value", page)
		}
		if regexp.MustCompile(`<script>|<script [^s]| on[a-z]+="|style="`).MatchString(body) {
			t.Errorf("%s: inline script or style", page)
		}
		for _, m := range attribute.FindAllStringSubmatch(body, -1) {
			if strings.HasPrefix(m[1], "http") && page != "/frames" {
				t.Errorf("%s refers to %s", page, m[1])
			}
			if strings.HasPrefix(m[1], "/static/") {
				if s, _, _ := v.get(m[1]); s != 200 {
					t.Errorf("%s needs %s: status %d", page, m[1], s)
				}
			}
		}
	}
}

func TestFramesPageNamesTheOtherSite(t *testing.T) {
	v := visit(t)
	port := v.base[strings.LastIndex(v.base, ":"):]
	_, _, body := v.get("/frames")
	wantText(t, body, `src="http://localhost`+port+`/frames/child?name=cross"`)
	req, _ := http.NewRequest("GET", v.base+"/frames", nil)
	req.Host = "localhost" + port
	resp, err := v.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _, body = v.read(resp)
	wantText(t, body, `src="http://127.0.0.1`+port+`/frames/child?name=cross"`)
	_, _, body = v.get("/frames/nest?depth=2&cross=1")
	wantText(t, body, `http://localhost`+port+`/frames/nest?depth=1&amp;cross=1"`)
	if _, _, body = v.get("/frames/nest?depth=0"); strings.Contains(body, "<iframe") {
		t.Error("the last level frames another")
	}
}

func TestLongPageHasAsManyNodesAsAskedFor(t *testing.T) {
	v := visit(t)
	for _, n := range []int{100, 10_000} {
		_, _, body := v.get(fmt.Sprint("/long?n=", n))
		nodes := strings.Count(body, "<li>") * 7
		if nodes < n*9/10 || nodes > n*11/10 {
			t.Errorf("asked for %d, got about %d", n, nodes)
		}
	}
}

func TestWaysOutLeadToTheQuery(t *testing.T) {
	v := visit(t)
	to := "http://127.0.0.1:9/x?a=1&b=<"
	_, _, body := v.get("/leave?to=" + url.QueryEscape(to))
	wantText(t, body, `data-to="http://127.0.0.1:9/x?a=1&amp;b=&lt;"`, `<form id="post" method="post" action="http://127.0.0.1:9/x?a=1&amp;b=%3c"`)
}

func TestDownloads(t *testing.T) {
	v := visit(t)
	for _, name := range app.OddNames() {
		resp := v.raw("GET", "/downloads/file?size=70000&name="+url.QueryEscape(name))
		got, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := io.ReadAll(app.Content(70000))
		d := resp.Header.Get("Content-Disposition")
		if !bytes.Equal(got, want) || !strings.HasPrefix(d, "attachment") || strings.ContainsAny(d, "\r\n\t") {
			t.Errorf("%q: %d bytes, disposition %q", name, len(got), d)
		}
		if encoded, found := strings.CutPrefix(d[strings.LastIndex(d, " ")+1:], "filename*=UTF-8''"); name != "" {
			if back, err := url.PathUnescape(encoded); !found || err != nil || back != name {
				t.Errorf("%q comes back as %q (%v)", name, back, err)
			}
		}
	}
	resp := v.raw("GET", "/downloads/large?bytes=200000&length=0")
	if got, err := io.ReadAll(resp.Body); err != nil || len(got) != 200_000 || resp.ContentLength != -1 {
		t.Errorf("large: %d bytes, length %d, %v", len(got), resp.ContentLength, err)
	}
	resp = v.raw("GET", "/downloads/large?bytes=200000&cut=1")
	if got, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("a cut download ended well after %d bytes", len(got))
	}
}

func TestUploadsAreHashed(t *testing.T) {
	v := visit(t)
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	file, _ := form.CreateFormFile("one", "../a<b>.txt")
	data := strings.Repeat("x", 300_000)
	io.WriteString(file, data)
	form.Close()
	req, _ := http.NewRequest("POST", v.base+"/uploads", &b)
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Accept", "application/json")
	resp, err := v.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _, body := v.read(resp)
	var got []app.Upload
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(data))
	want := app.Upload{Field: "one", Name: "a<b>.txt", Type: "application/octet-stream", Size: 300_000, SHA256: hex.EncodeToString(sum[:])}
	if len(got) != 1 || got[0] != want || len(v.app.Uploads()) != 1 {
		t.Errorf("got %+v, want %+v", got, want)
	}
	resp, err = v.http.Post(v.base+"/uploads", "multipart/form-data; boundary=x", strings.NewReader("--x\r\nbroken"))
	if err != nil {
		t.Fatal(err)
	}
	if status, _, _ := v.read(resp); status != http.StatusBadRequest {
		t.Errorf("broken body: status %d", status)
	}
}

func TestWhatArrivedCanBeRead(t *testing.T) {
	v := visit(t)
	v.get("/lab?x=1")
	v.get("/lab")
	resp, err := v.http.Post(v.base+"/debug/report", "application/json", strings.NewReader(`{"page":"/keys","kind":"keydown","text":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	v.read(resp)
	_, _, body := v.get("/debug/state?requests=1")
	var s app.State
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		t.Fatal(err)
	}
	if s.Hits["/lab"] != 2 || v.app.Hits("/lab") != 2 || len(s.Requests) != 2 || s.Requests[0].Query != "x=1" {
		t.Errorf("state: %+v", s)
	}
	if a := v.app.Account(); len(a) != 1 || a[0] != (app.Entry{Page: "/keys", Kind: "keydown", Text: "a"}) {
		t.Errorf("account: %+v", a)
	}
	if r := v.app.Requests()[0]; r.Method != "GET" || r.Path != "/lab" || r.Host == "" || r.Header.Get("User-Agent") == "" {
		t.Errorf("request: %+v", r)
	}
	resp, err = v.http.Post(v.base+"/debug/reset", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	v.read(resp)
	if len(v.app.Requests()) != 0 || v.app.Hits("/lab") != 0 || len(v.app.Account()) != 0 {
		t.Error("reset left something")
	}
}
