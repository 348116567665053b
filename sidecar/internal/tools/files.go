package tools

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// maxFile bounds one file that a tool writes.
const maxFile = 64 << 20

// deliver puts text into the answer, or into a file when the agent named one.
func (c *call) deliver(title, filename, text string) error {
	if filename == "" {
		c.say(text)
		return nil
	}
	return c.save(title, filename, []byte(text))
}

// save writes a file into the session's uploads directory, the tools' working
// directory, and answers with a link to it.
func (c *call) save(title, filename string, data []byte) error {
	dir, name, err := c.place(filename)
	if err != nil {
		return err
	}
	if len(data) > maxFile {
		return toolError(fmt.Sprintf("Error: %s is over the limit of %d MiB for one file", filename, maxFile>>20))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open the session's directory: %w", err)
	}
	defer root.Close()
	if sub := filepath.Dir(name); sub != "." {
		if err := root.MkdirAll(sub, 0o700); err != nil {
			return c.denied(filename)
		}
	}
	if err := root.WriteFile(name, data, 0o600); err != nil {
		if errors.Is(err, os.ErrPermission) || strings.Contains(err.Error(), "escapes") {
			return c.denied(filename)
		}
		return fmt.Errorf("write the file: %w", err)
	}
	c.sayf("- [%s](./%s)", title, filepath.ToSlash(name))
	return nil
}

// keep writes a file of the tools' own naming into the session's output
// directory.
func (c *call) keep(name string, data []byte) error {
	root, err := os.OpenRoot(c.kit.opts.Output)
	if err != nil {
		return fmt.Errorf("open the session's directory: %w", err)
	}
	defer root.Close()
	if err := root.WriteFile(name, data, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// place finds which of the session's directories a name lies in. A relative
// name is one of the uploads directory.
func (c *call) place(filename string) (dir, name string, err error) {
	o := c.kit.opts
	if !filepath.IsAbs(filename) {
		if !filepath.IsLocal(filename) || strings.ContainsRune(filename, 0) {
			return "", "", c.denied(filename)
		}
		return o.Uploads, filepath.Clean(filename), nil
	}
	for _, dir := range []string{o.Output, o.Uploads} {
		if rel, err := filepath.Rel(dir, filename); err == nil && filepath.IsLocal(rel) && rel != "." {
			return dir, rel, nil
		}
	}
	return "", "", c.denied(filename)
}

func (c *call) denied(filename string) error {
	return toolError(fmt.Sprintf("Error: File access denied: %s is outside allowed roots. Allowed roots: %s, %s",
		oneLine(filename), filepath.Base(c.kit.opts.Output), filepath.Base(c.kit.opts.Uploads)))
}

// stamped is a file name that sorts by time and needs no quoting anywhere.
func stamped(prefix, ext string) string {
	t := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	return prefix + "-" + strings.NewReplacer(":", "-", ".", "-").Replace(t) + "." + ext
}
