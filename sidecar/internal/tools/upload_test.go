package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pillion-browser/pillion/sidecar/internal/tools"
	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
)

const chooserOpen = "### Modal state\n- [File chooser]: can be handled by browser_file_upload"

const uploadPage = `<input id=one type=file onchange="told(this)" oncancel="log.push('cancel')"><input id=many type=file multiple onchange="told(this)">
	<div id=zone style="width:200px;height:100px" ondragover="event.preventDefault()" ondrop="event.preventDefault();told(event.dataTransfer)">zone</div>
	<script>var log = []; async function told(input) { for (const f of input.files) log.push(f.name + '=' + await f.text()); }</script>`

func (w *bench) log() string {
	w.t.Helper()
	return strings.Join(strings.Fields(w.js("() => log.splice(0).join('; ')")), " ")
}

func TestFilesAreUploadedThroughTheChooser(t *testing.T) {
	w := open(t)
	w.upload("a.txt", "A")
	w.upload("b.txt", "B")
	w.must(os.Mkdir(filepath.Join(w.dirs.Uploads, "sub"), 0o700))
	w.upload("sub/a.txt", "deep A")
	w.show(uploadPage)
	w.has(w.ok("browser_click", args{"target": "#one"}), chooserOpen)
	// All else waits, but for what needs no page.
	w.fails("browser_click", args{"target": "#many"}, "### Error\nError: Tool \"browser_click\" does not handle the modal state.\n"+chooserOpen)
	w.fails("browser_handle_dialog", args{"accept": true}, "can only be used when there is related modal state present")
	w.has(w.ok("browser_tabs", args{"action": "list"}), chooserOpen)
	text := w.ok("browser_file_upload", args{"paths": []string{"a.txt"}})
	w.has(text, "### Snapshot\n```yaml\n")
	w.lacks(text, "### Modal state")
	await(t, "the file", func() bool { return w.log() == `"a.txt=A"` })

	w.ok("browser_click", args{"target": "#many"})
	w.ok("browser_file_upload", args{"paths": []string{"a.txt", "b.txt", "sub/a.txt", filepath.Join(w.dirs.Uploads, "b.txt")}})
	await(t, "four files", func() bool { return w.log() == `"a.txt=A; b.txt=B; a.txt=deep A; b.txt=B"` })

	w.upload("注文 1.txt", "C")
	w.ok("browser_click", args{"target": "#one"})
	w.ok("browser_file_upload", args{"paths": []string{"注文 1.txt"}})
	await(t, "a file with a name in Japanese", func() bool { return w.log() == `"注文 1.txt=C"` })

	// A refusal leaves the chooser open.
	w.ok("browser_click", args{"target": "#one"})
	w.fails("browser_file_upload", args{"paths": []string{"a.txt", "b.txt"}}, "Error: the page takes one file here, not several")
	for name, words := range map[string]string{
		"/etc/passwd": "File access denied: /etc/passwd is outside allowed roots. Allowed roots: output-", "../a.txt": "outside allowed roots",
		"none.txt": "File not found: none.txt. Files can be given from uploads-", "sub": "sub is a directory", "": "outside allowed roots",
	} {
		w.fails("browser_file_upload", args{"paths": []string{name}}, "### Error\nError: ", words, chooserOpen)
	}
	w.has(w.ok("browser_tabs", args{"action": "list"}), chooserOpen)

	// None cancels, and the page hears of it.
	w.lacks(w.ok("browser_file_upload", nil), "### Modal state")
	await(t, "the cancelling", func() bool { return w.log() == `"cancel"` })
	w.ok("browser_click", args{"target": "#one"})
	w.lacks(w.ok("browser_file_upload", args{"paths": []string{}}), "### Modal state")
}

func TestAChooserGoesWithItsPage(t *testing.T) {
	w := open(t)
	w.show(uploadPage)
	w.ok("browser_click", args{"target": "#one"})
	w.lacks(w.visit("/login"), "### Modal state")
	w.show(`<iframe srcdoc="<input type=file id=x>"></iframe>`)
	w.has(w.ok("browser_click", args{"target": "iframe >> internal:control=enter-frame >> #x"}), chooserOpen)
	// A person removes the frame, beside the agent.
	tab := w.b.Tabs()[0]
	_, err := tab.Navigate(w.within(patience), w.url+"/login")
	if err == nil {
		t.Log("the navigation was not held up")
	}
	await(t, "the chooser to go", func() bool { return tab.Chooser() == nil })
	w.snapshot()
}

func TestUploadsHaveLimits(t *testing.T) {
	w := open(t, func(_ *tools.Options, l *files.Limits) { l.Upload = 10 })
	w.upload("small", "0123456789")
	w.upload("large", "0123456789a")
	w.show(uploadPage)
	w.ok("browser_click", args{"target": "#one"})
	w.fails("browser_file_upload", args{"paths": []string{"large"}}, "Error: large has 11 bytes, the limit for one file is 10 bytes")
	w.ok("browser_file_upload", args{"paths": []string{"small"}})
	await(t, "the file", func() bool { return w.log() == `"small=0123456789"` })
}

func TestDrops(t *testing.T) {
	w := open(t)
	w.upload("a.txt", "A")
	w.upload("b.txt", "B")
	w.show(uploadPage)
	w.has(w.ok("browser_drop", args{"target": "#zone", "paths": []string{"a.txt", "b.txt"}}), "```yaml")
	await(t, "the files", func() bool { return w.log() == `"a.txt=A; b.txt=B"` })
	w.fails("browser_drop", args{"target": "#zone", "paths": []string{"/etc/passwd"}}, "File access denied")
	w.show(`<div id=x style="width:99px;height:99px">takes nothing</div>`)
	w.fails("browser_drop", args{"target": "#x", "data": args{"text/plain": "x"}}, "The element takes no drop of this kind")
	w.visit("/drag")
	w.ok("browser_drop", args{"target": "#zone", "data": args{"text/plain": "hello", "text/uri-list": "http://x.test/"}})
	w.has(w.snapshot(), "text/plain hello")
}
