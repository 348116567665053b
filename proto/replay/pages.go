package replay

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	htmltemplate "html/template"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/proto/archive"
)

// The page's scripts are one function in parts, in the order of their names.
//
//go:embed web
var web embed.FS

var (
	//go:embed rrweb/replay.min.js
	playerScript string
	//go:embed rrweb/style.min.css
	playerStyle string
)

// template is a page.
type template interface {
	Execute(w io.Writer, data any) error
}

// pages are the pages and their files.
type pages struct {
	list, replay template
	assets       map[string]string
	exported     *htmltemplate.Template
}

// parsePages reads the embedded files. They are a part of the program, so a fault in
// them is one of programming.
func parsePages() *pages {
	funcs := htmltemplate.FuncMap{
		"clock": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"size":  func(n int64) string { return fmt.Sprintf("%.1f kB", float64(n)/1000) },
		"path":  url.PathEscape,
		"short": func(d time.Duration) string { return d.Round(time.Second).String() },
	}
	parse := func(name string) *htmltemplate.Template {
		return htmltemplate.Must(htmltemplate.New(name).Funcs(funcs).ParseFS(web, "web/"+name, "web/stage.html"))
	}
	return &pages{
		list: parse("list.html"), replay: parse("replay.html"), exported: parse("export.html"),
		assets: map[string]string{
			"replay.js": pageScript(), "replay.css": read("web/replay.css"),
			"list.css":  read("web/list.css"),
			"player.js": playerScript, "player.css": playerStyle,
		},
	}
}

func read(name string) string {
	content, err := web.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(content)
}

func pageScript() string {
	entries, err := web.ReadDir("web/js")
	if err != nil {
		panic(err)
	}
	var whole strings.Builder
	for _, e := range entries {
		whole.WriteString(read("web/js/" + e.Name()))
	}
	return whole.String()
}

// exportPolicy allows the two scripts of an export by what they are.
func (p *pages) exportPolicy() string {
	return fmt.Sprintf("default-src 'none'; script-src '%s' '%s'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'",
		digest(p.assets["player.js"]), digest(p.assets["replay.js"]))
}

func digest(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// here is what an export's events stand in place of, and room the attribute around
// it, by which it is found: a recording's title may hold any words, and no quotes.
const (
	here = "EVENTS-GO-HERE"
	room = `data-events="` + here + `"`
)

// export writes a recording as one page: events as base64 of gzip of JSON lines.
func (p *pages) export(ctx context.Context, w io.Writer, source Source, r archive.Recording) error {
	about, err := json.Marshal(r)
	if err != nil {
		return err
	}
	var page strings.Builder
	if err := p.exported.Execute(&page, map[string]any{
		"Recording": r, "About": base64.StdEncoding.EncodeToString(about), "Events": here,
		"Policy": p.exportPolicy(),
		"Style":  htmltemplate.CSS(p.assets["player.css"] + p.assets["replay.css"]),
		"Player": htmltemplate.HTML(element("script", p.assets["player.js"])), "Script": htmltemplate.HTML(element("script", p.assets["replay.js"])),
	}); err != nil {
		return fmt.Errorf("write an export: %w", err)
	}
	head, tail, found := strings.Cut(page.String(), room)
	if !found {
		return fmt.Errorf("write an export: it has no place for events")
	}
	opening, closing, _ := strings.Cut(room, here)
	if _, err := io.WriteString(w, head+opening); err != nil {
		return err
	}
	text := base64.NewEncoder(base64.StdEncoding, w)
	z := gzip.NewWriter(text)
	if err := source.WriteTo(ctx, r.ID, z); err != nil {
		return err
	}
	for _, closer := range []io.Closer{z, text} {
		if err := closer.Close(); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, closing+tail)
	return err
}

// element puts a file of ours between its tags, as it is.
func element(name, content string) string { return "<" + name + ">" + content + "</" + name + ">" }
