package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

type pin string

func (p pin) MayNavigate(u string) bool { return strings.HasPrefix(u, string(p)+"/") }
func (p pin) OnApp(u string) bool {
	return !strings.HasPrefix(u, "http") || p.MayNavigate(u)
}

func start(t *testing.T, app string) *browser.Browser {
	t.Helper()
	dir, err := os.MkdirTemp("", "bt-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	os.Chmod(dir, 0o755)
	prof := dir + "/p"
	os.Mkdir(prof, 0o700)
	os.Chown(prof, 61200, 61200)
	r3, w3, _ := os.Pipe()
	r4, w4, _ := os.Pipe()
	cmd := exec.Command("/usr/lib/chromium/chromium-headless-shell", "--remote-debugging-pipe", "--user-data-dir="+prof, "--site-per-process", "about:blank")
	cmd.ExtraFiles = []*os.File{r3, w4}
	cmd.Env = []string{"HOME=" + prof, "TMPDIR=" + prof}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 61200, Gid: 61200, Groups: []uint32{}}, Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r3.Close()
	w4.Close()
	conn := cdp.New(chromedp.NewPipeConn(r4, w3))
	t.Cleanup(func() { conn.Close(); cmd.Process.Kill(); cmd.Wait() })
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	b, err := browser.Start(ctx, browser.Options{Conn: conn, Pin: pin(app), Viewport: proto.Viewport{Width: 1280, Height: 800}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSmoke(t *testing.T) {
	mux := http.NewServeMux()
	var off *httptest.Server
	hits := 0
	off = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hits++; fmt.Fprint(w, "off") }))
	defer off.Close()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>Home</title><h1>Hi</h1><iframe src="/f"></iframe><iframe src="http://localhost:%s/f"></iframe><script>console.log('hello',{a:1},[1,2]);console.error('bad')</script>`, r.Host[strings.Index(r.Host, ":")+1:])
	})
	mux.HandleFunc("/f", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<p>frame</p>") })
	mux.HandleFunc("/r", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, off.URL+"/x?secret", 302) })
	app := httptest.NewServer(mux)
	defer app.Close()
	b := start(t, app.URL)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tab := b.Tabs()[0]
	t0 := time.Now()
	nav, err := tab.Navigate(ctx, app.URL+"/")
	fmt.Println("nav", nav, err, time.Since(t0), tab.URL(), tab.Title(), tab.Status())
	for _, f := range tab.Frames() {
		w, err := f.World(ctx)
		fmt.Println("frame", f.ID(), f.URL(), f.Document(), w, err, f.Session() == tab.Session())
	}
	for _, m := range tab.Messages(true) {
		fmt.Println(m)
	}
	for _, m := range tab.Requests() {
		fmt.Println(m.N, m.Method, m.URL, m.Status, m.Type, m.Failure)
	}
	mark := b.EscapeMark()
	nav, err = tab.Navigate(ctx, app.URL+"/r")
	fmt.Println("nav", nav, err, tab.URL(), hits, b.EscapesSince(mark, tab))
	v, err := tab.MainFrame().Script(ctx, `window.open('`+off.URL+`/pop'); localStorage.k='v'; document.cookie='a=b'; 1`)
	fmt.Println(string(v), err)
	t0 = time.Now()
	nav, err = tab.Navigate(ctx, app.URL+"/")
	fmt.Println("nav", nav, err, time.Since(t0))
	fmt.Println(len(b.Tabs()), hits, b.EscapesSince(mark, tab))
	st, err := b.StorageState(ctx, app.URL)
	fmt.Println(st, err)
	tab.Navigate(ctx, "about:blank")
	st, err = b.StorageState(ctx, app.URL)
	fmt.Println(st, err, len(b.Tabs()))
	t2, err := b.NewTab(ctx)
	fmt.Println(t2.ID(), err, len(b.Tabs()))
	fmt.Println(t2.Close(ctx), len(b.Tabs()))
	_, err = tab.Back(ctx)
	fmt.Println("back", err, tab.URL())
	shot, err := tab.Screenshot(ctx, browser.Shot{Format: "png"})
	fmt.Println(len(shot), err)
	b.HoldDialogs()
	go tab.MainFrame().Script(ctx, "alert('hey')")
	<-tab.Modal()
	fmt.Println(tab.Dialog(), tab.HandleDialog(ctx, true, ""), tab.Dialog())
	fmt.Println(b.Close(ctx))
}
