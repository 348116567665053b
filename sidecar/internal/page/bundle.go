package page

import (
	"embed"
	"strings"
	"sync"
)

//go:embed js/*.js
var scripts embed.FS

var (
	//go:embed js/entry.js
	entryScript string
	//go:embed js/suspects.js
	suspectsScript string
)

// bundle is the script of every document: the numbered files in their order.
var bundle = sync.OnceValue(func() string {
	var b strings.Builder
	entries, err := scripts.ReadDir("js")
	if err != nil {
		panic(err) // the files are compiled in
	}
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
})
