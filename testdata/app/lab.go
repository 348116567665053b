package app

import (
	"net/http"
	"slices"
	"strconv"
)

// labPage is a page of the laboratory whose handler only renders a template.
type labPage struct {
	Path   string
	Title  string
	Blurb  string // one line for the index
	name   string // of the template
	policy string
	data   func(r *http.Request) any // nil for a page without data
}

// labPages is the index of the laboratory, in the order in which /lab shows
// it. Pages with handlers of their own have an empty template name here.
func labPages() []labPage {
	return []labPage{
		{"/form", "Order form", "Every kind of form control, without signing in.", "", policyStrict, nil},
		{"/dialogs", "Dialogs", "Alert, confirm, prompt and the question before leaving.", "dialogs", policyStrict, nil},
		{"/popups", "Popups", "New windows and tabs, with and without a gesture.", "popups", policyStrict, nil},
		{"/frames", "Frames", "Same site, inline, nested and another site.", "frames", policyFrames, frameHosts},
		{"/shadow", "Shadow DOM", "Open and closed roots, slots, components in components.", "shadow", policyStrict, nil},
		{"/downloads", "Downloads", "Plain, oddly named, large and broken files.", "", policyStrict, nil},
		{"/uploads", "Uploads", "Single, several, a folder, dropped.", "", policyStrict, nil},
		{"/slow", "Slow pages", "Late headers, dribbling bodies, pictures without an end.", "", policyStrict, nil},
		{"/broken", "Broken pages", "Errors, cut answers, garbage.", "broken", policyStrict, nil},
		{"/redirect", "Redirects", "By status, header, markup and script; chains and loops.", "redirect", policyStrict, redirectTarget},
		{"/websocket", "WebSocket", "An echo.", "websocket", policyStrict, nil},
		{"/events", "Server-sent events", "A stream of ticks.", "events", policyStrict, nil},
		{"/mutate", "Restless page", "Changes every 16 ms.", "mutate", policyStrict, nil},
		{"/late", "Late button", "Can be pressed only after a while.", "late", policyStrict, nil},
		{"/covered", "Covered buttons", "Overlay, toast, sticky header.", "covered", policyStrict, nil},
		{"/moving", "Moving buttons", "One comes to rest, one never does.", "moving", policyStrict, nil},
		{"/long", "Long page", "Ten thousand nodes, or as many as asked for.", "", policyStrict, nil},
		{"/spa", "Single-page app", "pushState, fetch and history.", "", policyStrict, nil},
		{"/hover", "Hover", "A menu and a tooltip that need the mouse.", "hover", policyStrict, nil},
		{"/drag", "Drag and drop", "Native and by mouse.", "drag", policyStrict, nil},
		{"/keys", "Keyboard", "Logs every key event.", "keys", policyStrict, nil},
		{"/canvas", "Canvas", "Drawn, not marked up.", "canvas", policyStrict, nil},
		{"/console", "Console", "Messages, errors, rejections.", "console", policyStrict, nil},
		{"/network", "Network", "Requests of many fates.", "network", policyStrict, nil},
		{"/worker", "Workers", "Service, dedicated and shared.", "worker", policyStrict, nil},
		{"/speculation", "Speculation", "Prefetch and prerender rules.", "speculation", policySpeculation, nil},
		{"/webrtc", "WebRTC", "Gathers candidates.", "webrtc", policyStrict, nil},
		{"/leave", "Ways out", "Each way to leave the app.", "leave", policyNone, redirectTarget},
		{"/strict", "Strict policy", "Almost nothing is allowed.", "strict", policyBare, nil},
		{"/hostile", "Hostile page", "Overrides what scripts rely on, and lies.", "hostile", policyStrict, nil},
		{"/storage", "Storage", "Cookies and local storage.", "storage", policyStrict, nil},
		{"/languages/ja", "日本語", "A page in Japanese.", "japanese", policyStrict, nil},
		{"/languages/ar", "العربية", "A page in Arabic, from right to left.", "arabic", policyStrict, nil},
		{"/languages/he", "עברית", "A page in Hebrew, from right to left.", "hebrew", policyStrict, nil},
	}
}

func (a *App) routeLab() {
	all := labPages()
	for _, p := range all {
		if p.name != "" {
			a.mux.HandleFunc("GET "+p.Path, func(w http.ResponseWriter, r *http.Request) {
				var data any
				if p.data != nil {
					data = p.data(r)
				}
				a.renderUnder(w, r, http.StatusOK, p.name, p.policy, data)
			})
		}
	}
	a.mux.HandleFunc("GET /lab", func(w http.ResponseWriter, r *http.Request) {
		a.render(w, r, http.StatusOK, "lab", all)
	})
	a.mux.HandleFunc("GET /popups/child", a.child("popup"))
	a.mux.HandleFunc("GET /frames/child", a.child("frame"))
	a.mux.HandleFunc("GET /frames/nest", a.nest)
	a.mux.HandleFunc("GET /long", a.long)
	spa := func(w http.ResponseWriter, r *http.Request) { a.render(w, r, http.StatusOK, "spa", nil) }
	a.mux.HandleFunc("GET /spa", spa)
	a.mux.HandleFunc("GET /spa/", spa)
	a.mux.HandleFunc("GET /sw.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Service-Worker-Allowed", "/")
		w.Header().Set("Cache-Control", "no-store")
		a.static("js/service-worker.js")(w, r)
	})
}

// child answers the small page that popups and frames hold.
func (a *App) child(template string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("name")
		if name == "" {
			name = "child"
		}
		a.renderUnder(w, r, http.StatusOK, template, policyFrames, name)
	}
}

// frameHosts tells the frames page its other name.
func frameHosts(r *http.Request) any {
	return struct{ Here, Other string }{r.Host, otherHost(r)}
}

// deepest is how many frames /frames/nest puts into each other at most.
const deepest = 50

// nest is a page that frames itself ?depth=N times; with ?cross=1 each level
// is on the other site.
func (a *App) nest(w http.ResponseWriter, r *http.Request) {
	depth, _ := strconv.Atoi(r.URL.Query().Get("depth"))
	v := struct {
		Depth, Next int
		Host        string
		Cross       bool
	}{Depth: min(max(depth, 0), deepest), Host: r.Host, Cross: r.URL.Query().Get("cross") == "1"}
	v.Next = v.Depth - 1
	if v.Cross {
		v.Host = otherHost(r)
	}
	a.renderUnder(w, r, http.StatusOK, "nest", policyFrames, v)
}

// redirectTarget is the URL that ?to names, this site's landing page if none.
func redirectTarget(r *http.Request) any {
	if to := r.URL.Query().Get("to"); to != "" {
		return to
	}
	return "/redirect/landing"
}

const (
	nodesDefault = 10_000
	nodesMost    = 1_000_000
	// nodesPerRow is what one row of /long is made of: li, three elements in
	// it and the text of each.
	nodesPerRow = 7
)

// long streams a page of about ?n nodes, with a button in every row and
// headings that divide it.
func (a *App) long(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("n"))
	if err != nil || n < 1 {
		n = nodesDefault
	}
	type section struct {
		Number int
		Rows   []int
	}
	var sections []section
	rows := make([]int, max(1, min(n, nodesMost)/nodesPerRow))
	for i := range rows {
		rows[i] = i + 1
	}
	for part := range slices.Chunk(rows, 100) {
		sections = append(sections, section{len(sections) + 1, part})
	}
	a.render(w, r, http.StatusOK, "long", sections)
}
