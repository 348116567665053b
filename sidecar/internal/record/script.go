package record

import (
	"crypto/rand"
	"embed"
	"encoding/hex"
	"strings"
)

// The recorder's parts, in the order of their names; see js/00_open.js.
//
//go:embed js/[0-9]*.js
var recorderParts embed.FS

var (
	//go:embed js/join.js
	joinScript string
	//go:embed js/command.js
	commandScript string
	//go:embed js/self.js
	selfScript string
	//go:embed rrweb/record.min.js
	libraryScript string
)

// What the recorder is asked for, by these names.
const (
	commandFlush    = "flush"
	commandLook     = "look"
	commandSnapshot = "snapshot"
	commandFrames   = "frames"
)

// recorderScript is what runs at the start of each document: the recorder with its
// binding, the mark of its messages and the library.
func recorderScript(binding, mark string) string {
	entries, err := recorderParts.ReadDir("js")
	if err != nil {
		panic(err) // it is part of the program
	}
	var recorder strings.Builder
	for _, e := range entries {
		part, err := recorderParts.ReadFile("js/" + e.Name())
		if err != nil {
			panic(err)
		}
		recorder.Write(part)
	}
	return strings.NewReplacer("RECORDER", recorder.String(), "BINDING", binding, "MARK", mark, "LIBRARY", libraryScript).Replace(joinScript)
}

// newName is a name that no page can guess, with the original's beginning.
func newName() string {
	var b [8]byte
	rand.Read(b[:])
	return "__aa_" + hex.EncodeToString(b[:])
}
