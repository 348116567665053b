package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/pillion-browser/pillion/proto"
)

// fakeSidecar is a sidecar whose browser has no engine: it knows the sample
// app's forms by heart, sends what the agent entered to the real app, and makes
// snapshots of its own. It is strict about tokens, sessions and refs.
func fakeSidecar() int {
	var config struct {
		AppURL string `json:"app_url"`
		Token  string
	}
	lines := bufio.NewReader(os.Stdin)
	line, _ := lines.ReadBytes('\n')
	if json.Unmarshal(line, &config) != nil {
		return 1
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 1
	}
	jar, _ := cookiejar.New(nil)
	b := &fakeBrowser{app: config.AppURL, token: config.Token, http: &http.Client{Jar: jar}, form: url.Values{}}
	go http.Serve(l, b)
	ready := proto.Ready{Port: l.Addr().(*net.TCPAddr).Port, Version: proto.Version, PID: os.Getpid(),
		Chromium: proto.Chromium{Version: "156.0.0.0", Flavour: "shell"}, Features: proto.Features{Sandbox: true}}
	text, _ := ready.Encode()
	fmt.Println(string(text))

	over := make(chan string)
	go func() {
		for {
			line, err := lines.ReadString('\n')
			if err != nil || strings.Contains(line, `"stop"`) {
				over <- proto.ReasonCommand
				return
			}
		}
	}()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	select {
	case <-over:
	case <-signals:
	}
	fmt.Println(`{"type":"stopping","at":1,"reason":"command"}`)
	fmt.Println(`{"type":"stopped","at":2,"reason":"command"}`)
	return 0
}

// fakeBrowser serves MCP.
type fakeBrowser struct {
	app, token string
	http       *http.Client
	path       string     // of the current page
	form       url.Values // what was typed
}

func (b *fakeBrowser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Name      string
			Arguments map[string]any
		}
	}
	json.NewDecoder(r.Body).Decode(&request)
	initialize := request.Method == "initialize"
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/mcp":
		http.Error(w, "", http.StatusNotFound)
		return
	case r.Header.Get("Authorization") != "Bearer "+b.token:
		http.Error(w, "", http.StatusUnauthorized)
		return
	case !initialize && r.Header.Get("Mcp-Session-Id") != "session-1":
		http.Error(w, "", http.StatusBadRequest)
		return
	}
	var result any
	switch request.Method {
	case "initialize":
		w.Header().Set("Mcp-Session-Id", "session-1")
		result = map[string]any{"serverInfo": map[string]any{"name": "fake", "version": "1"}}
	case "tools/list":
		result = map[string]any{"tools": []map[string]any{{"name": "browser_click"}}}
	case "tools/call":
		result = b.answer(request.Params.Name, request.Params.Arguments)
	default:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": request.ID, "result": result})
}

func (b *fakeBrowser) answer(tool string, args map[string]any) map[string]any {
	text, err := b.tool(tool, args)
	if err != nil {
		return map[string]any{"isError": true, "content": []any{map[string]any{"type": "text", "text": "### Error\n" + err.Error()}}}
	}
	content := []any{map[string]any{"type": "text", "text": text}}
	if tool == "browser_take_screenshot" {
		content = append(content, map[string]any{"type": "image", "data": []byte("\x89PNG fake"), "mimeType": "image/png"})
	}
	return map[string]any{"content": content}
}

func (b *fakeBrowser) tool(tool string, args map[string]any) (string, error) {
	target, _ := args["target"].(string)
	switch tool {
	case "browser_navigate":
		b.path = args["url"].(string)
		return b.snapshot("")
	case "browser_snapshot":
		return b.snapshot(b.path)
	case "browser_type":
		field, known := map[string]string{"e1": "user", "e2": "password"}[target]
		if !known || b.path != "/login" {
			return "", fmt.Errorf("Ref %s not found in the current page snapshot", target)
		}
		b.form.Set(field, args["text"].(string))
		return "", nil
	case "browser_fill_form":
		for _, f := range args["fields"].([]any) {
			f := f.(map[string]any)
			field, known := map[string]string{"e1": "customer", "e2": "email", "e3": "quantity", "e4": "country",
				"e5": "shipping", "e6": "gift", "e7": "notes"}[f["target"].(string)]
			if !known || b.path != "/orders/new" {
				return "", fmt.Errorf("no field %v", f)
			}
			b.form.Set(field, strings.Replace(f["value"].(string), "true", "courier", 1))
		}
		return "", nil
	case "browser_click":
		return b.submit(target)
	default:
		return "### Result\n- [Screenshot of viewport](page.png)", nil
	}
}

// submit sends the current page's form to the app, and follows where it leads.
func (b *fakeBrowser) submit(target string) (string, error) {
	if target != "e9" {
		return "", fmt.Errorf("nothing happens on %s", target)
	}
	to := map[string]string{"/login": "/login", "/orders/new": "/orders"}[b.path]
	response, err := b.http.PostForm(b.app+to, b.form)
	if err != nil {
		return "", err
	}
	response.Body.Close()
	b.form, b.path = url.Values{}, response.Request.URL.Path
	return b.snapshot(b.path)
}

// snapshot makes the text of a page: of those with a form by heart, of others
// by leaving out the markup.
func (b *fakeBrowser) snapshot(string) (string, error) {
	page, known := map[string]string{
		"/login": "- textbox \"User name\" [active] [ref=e1]\n- textbox \"Password\" [ref=e2]\n- button \"Sign in\" [ref=e9] [cursor=pointer]",
		"/orders/new": "- textbox \"Customer *\" [ref=e1]\n- textbox \"Email\" [ref=e2]\n- spinbutton \"Quantity\" [ref=e3]\n" +
			"- combobox \"Country\" [ref=e4]\n- radio \"Courier\" [ref=e5]\n- checkbox \"Gift wrap\" [ref=e6]\n" +
			"- textbox \"Notes\" [ref=e7]\n- button \"Place order\" [ref=e9]",
	}[b.path]
	if !known {
		response, err := b.http.Get(b.app + b.path)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			line := strings.ReplaceAll(strings.ReplaceAll(lines.Text(), "<h1>", "- heading \""), "</h1>", "\" [level=1]")
			page += strings.NewReplacer("<", " ", ">", " ").Replace(line) + "\n"
		}
	}
	return "### Page\n- Page URL: " + b.app + b.path + "\n### Snapshot\n```yaml\n" + page + "\n```", nil
}
