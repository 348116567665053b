package page

import (
	"embed"
	"strings"
)

//go:embed js/*.js
var scripts embed.FS

var (
	// entryScript is what each call runs in our world: P.enter, or an empty answer
	// where the bundle is not there. call is JSON: function, name of the element or
	// "", and arguments; objects of the protocol follow it. Its comment is here since
	// it goes over the wire with every call.
	//
	//go:embed js/entry.js
	entryScript string
	//go:embed js/suspects.js
	suspectsScript string

	// bundle is the script of every document: the numbered files in their order. It
	// is ASCII, since one other character doubles what Chromium keeps and compiles.
	bundle = joinScripts()
)

// Script is what [Call] needs in a document. A browser that is given it as
// browser.Options.Script has it there from the start, compiled once for all the
// documents of a renderer; without, Call brings it, at some 5 ms a document.
func Script() string { return bundle }

func joinScripts() string {
	entries, err := scripts.ReadDir("js")
	if err != nil {
		panic(err) // the files are compiled in
	}
	var b strings.Builder
	for _, e := range entries {
		if name := e.Name(); name[0] >= '0' && name[0] <= '9' {
			text, err := scripts.ReadFile("js/" + name)
			if err != nil {
				panic(err)
			}
			b.Write(text)
		}
	}
	return b.String()
}
