package tools_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/tools"
	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
	"github.com/pillion-browser/pillion/testdata/app"
)

func TestAClickedDownloadIsToldAndCanBeFetched(t *testing.T) {
	w := open(t)
	w.show(`<a href="/downloads/file?name=re%20port.csv&size=1500">Get</a><a id=large href="/downloads/large?bytes=3000000&every=20ms">Large</a>`)
	text := w.ok("browser_click", args{"target": "text=Get"})
	if got, want := section(text, "Events"), "- Downloading file re port.csv ...\n- Downloaded file re port.csv to \"re-port.csv\" (1.5 KiB)"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	w.has(text, "- Page URL: "+w.url+"/page/1\n")
	want, _ := io.ReadAll(app.Content(1500))
	if got := w.fetch("re-port.csv"); string(got) != string(want) {
		t.Errorf("%d bytes that are not the file", len(got))
	}
	if info, err := os.Stat(filepath.Join(w.dirs.Output, "re-port.csv")); err != nil || info.Mode().Perm() != 0o600 {
		t.Error("it is not in the output directory", err)
	}
	// What takes longer is told of later.
	text = w.ok("browser_click", args{"target": "#large"})
	w.has(section(text, "Events"), "- Downloading file large.bin ...")
	told := section(text, "Events")
	for !strings.Contains(told, "- Downloaded file large.bin to \"large.bin\" (2.9 MiB)") {
		told += "\n" + section(w.ok("browser_wait_for", args{"time": 0.2}), "Events")
		if strings.Count(told, "\n") > 200 {
			t.Fatal(told)
		}
	}
	if strings.Count(told, "Downloading") != 1 {
		t.Errorf("told more than once: %s", told)
	}
}

func TestNavigatingToAFileDownloadsIt(t *testing.T) {
	w := open(t)
	w.show("<h1>Here</h1>")
	text := w.visit("/downloads/file?name=a.txt&size=10")
	w.has(text, "### Result\nThe address is a file to download, not a page; the tab stays where it was.\n", "- Page URL: "+w.url+"/page/1\n",
		"- Downloaded file a.txt to \"a.txt\" (10 bytes)")
	text = w.ok("browser_tabs", args{"action": "new", "url": w.url + "/downloads/file?name=a.txt&size=11"})
	w.has(text, "The address is a file", "- Downloaded file a.txt to \"a-1.txt\" (11 bytes)")
	if string(w.fetch("a.txt")) == string(w.fetch("a-1.txt")) {
		t.Error("the first one is written over")
	}
}

func TestOddlyNamedDownloads(t *testing.T) {
	w := open(t)
	stored := regexp.MustCompile(`(?m)^- Downloaded file (.*) to "([^"]+)" \(64 bytes\)$`)
	for i, name := range append(app.OddNames(), "x\" to \"y", "a [b](c) `d`.txt", "#.txt", "- Page URL: http://x/.txt") {
		text := w.visit("/downloads/file?size=64&name=" + strings.ReplaceAll(percent(name), "+", "%20"))
		m := stored.FindStringSubmatch(section(text, "Events"))
		if m == nil {
			t.Errorf("%q: %s", name, section(text, "Events"))
			continue
		}
		if len(w.fetch(m[2])) != 64 || m[2] != files.Sanitized(m[2]) {
			t.Errorf("%q: %q", name, m)
		}
		if len(strings.Split(section(text, "Events"), "\n")) != 2 {
			t.Errorf("%d %q is told on more than its lines:\n%s", i, name, section(text, "Events"))
		}
	}
	for _, dir := range []string{w.dirs.Root, w.dirs.Output, w.dirs.Uploads} {
		list, err := os.ReadDir(dir)
		w.must(err)
		for _, f := range list {
			if strings.Contains(f.Name(), "escape") && dir != w.dirs.Output || f.Name() == "passwd" && dir != w.dirs.Output {
				t.Errorf("%s in %s", f.Name(), dir)
			}
		}
	}
}

func percent(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

func TestDownloadsHaveLimits(t *testing.T) {
	w := open(t, func(_ *tools.Options, l *files.Limits) { l.File = 1 << 20 })
	w.show(`<a id=known href="/downloads/large?bytes=3000000&every=50ms">Known</a><a id=unknown href="/downloads/large?bytes=100000000&length=0&every=5ms">Unknown</a>
		<a id=cut href="/downloads/large?bytes=400000&cut=1">Cut</a><a id=empty href="/downloads/file?name=empty&size=0">Empty</a>
		<button onclick="for (let i = 0; i < 5; i++) { const a = document.createElement('a'); a.href = '/hold/' + i; a.download = 'h' + i; document.body.append(a); a.click(); }">Many</button>`)
	release := make(chan struct{})
	w.mux.HandleFunc("/hold/", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Disposition", "attachment")
		rw.Header().Set("Content-Type", "application/octet-stream")
		fmt.Fprint(rw, strings.Repeat("x", 4096)) // more than Chromium looks at before it decides
		_ = http.NewResponseController(rw).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	told := ""
	until := func(what string) {
		t.Helper()
		await(t, what, func() bool {
			told += "\n" + section(w.ok("browser_wait_for", args{"time": 0.05}), "Events")
			return strings.Contains(told, what)
		})
	}
	for _, id := range []string{"#known", "#unknown"} {
		told = section(w.ok("browser_click", args{"target": id}), "Events")
		until("- Refused to download file large.bin: it is over the limit of 1 MiB for one file")
	}
	told = section(w.ok("browser_click", args{"target": "#cut"}), "Events")
	until("- Download of file large.bin broke off")
	w.has(w.ok("browser_click", args{"target": "#empty"}), "- Downloaded file empty to \"empty\" (0 bytes)")
	told = section(w.ok("browser_click", args{"target": "button"}), "Events")
	until("- Downloading file h3 ...")
	close(release)
	until("- Downloaded file h3 to \"h3\" (4.0 KiB)")
	await(t, "an empty inbox", func() bool {
		list, err := os.ReadDir(w.store.Inbox())
		return err == nil && len(list) == 0
	})
}

// A download never takes the place of a file that the host put there.
func TestADownloadLeavesTheHostsFileAlone(t *testing.T) {
	w := open(t)
	w.upload("host.csv", "the host's own")
	w.has(w.visit("/downloads/file?name=host.csv&size=5"), "- Downloaded file host.csv to \"host-1.csv\" (5 bytes)")
	if b, err := os.ReadFile(filepath.Join(w.dirs.Uploads, "host.csv")); err != nil || string(b) != "the host's own" {
		t.Errorf("the host's file is %q, %v", b, err)
	}
}

func TestADownloadCanBeUploaded(t *testing.T) {
	w := open(t)
	w.visit("/downloads/file?name=back.txt&size=100")
	w.visit("/uploads")
	input := "input[type=file] >> nth=0"
	for _, name := range []string{"back.txt", "artifacts/back.txt", filepath.Join(w.dirs.Output, "back.txt")} {
		w.has(w.ok("browser_click", args{"target": input}), "### Modal state\n- [File chooser]: can be handled by browser_file_upload")
		text := w.ok("browser_file_upload", args{"paths": []string{name}})
		w.lacks(text, "### Modal state")
		if got := w.js("() => Array.from(document.querySelector('input[type=file]').files, (f) => f.name + ' ' + f.size).join()"); got != `"back.txt 100"` {
			t.Errorf("%s: the page has %s", name, got)
		}
	}
}
