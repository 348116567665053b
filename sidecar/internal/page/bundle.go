package page

import (
	"embed"
	"strings"
)

//go:embed js/*.js
var scripts embed.FS

var (
	//go:embed js/entry.js
	entryScript string
	//go:embed js/suspects.js
	suspectsScript string

	// bundle is the script of every document: the numbered files in their order.
	bundle = joinScripts()
)

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
