package tools

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
)

// deliver puts text into the answer, or into a file when the agent named one.
// shown is the text as an answer has it.
func (c *call) deliver(title, filename, text, shown string) error {
	if filename == "" {
		c.say(shown)
		return nil
	}
	return c.save(title, filename, []byte(text))
}

// save writes a file that the agent has named and answers with a link to it.
func (c *call) save(title, filename string, data []byte) error {
	saved, err := c.kit.opts.Files.Write(filename, data)
	return c.linked(title, saved, err)
}

// keep writes a file of the tools' own naming and answers with a link to it.
func (c *call) keep(title, name string, data []byte) error {
	saved, err := c.kit.opts.Files.Keep(name, data)
	return c.linked(title, saved, err)
}

func (c *call) linked(title string, saved files.Saved, err error) error {
	if err != nil {
		return err
	}
	c.sayf("- [%s](%s)", title, saved.Link)
	c.evicted(saved.Evicted)
	return nil
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// maxInline bounds text of the page in an answer that is no snapshot, such as
// the body of a response: about as much as clients take at once.
const maxInline = 100_000

// limited is text for an answer, cut where it is too long; how says how to get
// all of it.
func limited(text, how string) string {
	if len(text) <= maxInline {
		return text
	}
	return clip(text, maxInline) + fmt.Sprintf("\n(cut: %s in all; %s)", files.Bytes(int64(len(text))), how)
}

// inline is limited for text that is the page's from its first character.
func inline(text, how string) string { return limited(contain(text), how) }
