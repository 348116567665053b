package files

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sizes of names in bytes. File systems take 255; what is left is for a number
// and for whoever adds an ending.
const (
	maxName = 120
	maxExt  = 16
	// freeTries is how many numbers are tried for a name that is taken. The last
	// resort is the time, which nobody has.
	freeTries = 10_000
)

// AccessError says that a name leads out of the session's directories.
type AccessError struct{ text string }

func (e *AccessError) Error() string { return e.text }

func (s *Store) denied(name string) error { return s.refuse(name, "is outside allowed roots") }

func (s *Store) refuse(name, why string) error {
	return &AccessError{fmt.Sprintf("File access denied: %s %s. Allowed roots: %s, %s",
		line(name), why, filepath.Base(s.output.path), filepath.Base(s.uploads.path))}
}

// line makes a name fit on a line of ours.
func line(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return ' '
		}
		return r
	}, name)
}

// place finds the directory that a name of the agent's lies in, and its name
// there. A relative name is one of the uploads directory. A name that does not
// stand on one line could pass for lines of ours where it is told.
func (s *Store) place(filename string) (*dir, string, error) {
	if line(filename) != filename {
		return nil, "", &AccessError{fmt.Sprintf("File access denied: %s has control characters in its name.", line(filename))}
	}
	if !filepath.IsAbs(filename) {
		name := filepath.Clean(filename)
		if !filepath.IsLocal(filename) || name == "." {
			return nil, "", s.denied(filename)
		}
		return &s.uploads, name, nil
	}
	for _, d := range []*dir{&s.output, &s.uploads} {
		if rel, err := filepath.Rel(d.path, filename); err == nil && filepath.IsLocal(rel) && rel != "." {
			return d, rel, nil
		}
	}
	return nil, "", s.denied(filename)
}

// artifactPrefix is what links are fetched under; agents put it before names.
const artifactPrefix = "artifacts/"

// find is place for reading: a relative name may be one of the output directory,
// too, since that is how answers name what was saved there.
func (s *Store) find(filename string) (*dir, string, error) {
	d, name, err := s.place(filename)
	if err != nil || d != &s.uploads || filepath.IsAbs(filename) {
		return d, name, err
	}
	if _, err := s.uploads.Lstat(name); err == nil {
		return d, name, nil
	}
	inOutput := name
	if rest, ok := strings.CutPrefix(filepath.ToSlash(name), artifactPrefix); ok {
		inOutput = filepath.FromSlash(rest)
	}
	if _, err := s.output.Lstat(inOutput); err == nil {
		return &s.output, inOutput, nil
	}
	return d, name, nil
}

// free is name, or the next one with a number that nothing has. Called with the
// lock held.
func (s *Store) free(name string) string {
	ext := filepath.Ext(name)
	base := strings.TrimSuffix(name, ext)
	for n := 0; n < freeTries; n++ {
		candidate := name
		if n > 0 {
			candidate = fmt.Sprintf("%s-%d%s", base, n, ext)
		}
		if !s.taken(candidate) {
			return candidate
		}
	}
	return Stamped(base, strings.TrimPrefix(ext, "."))
}

func (s *Store) taken(name string) bool {
	if slices.ContainsFunc(s.kept, func(e entry) bool { return e.name == name }) {
		return true
	}
	for _, d := range []*dir{&s.output, &s.uploads} {
		if _, err := d.Lstat(name); err == nil {
			return true
		}
	}
	return false
}

// Sanitized makes of a name that a page proposed one plain file name: letters,
// digits, dashes, underscores and inner dots, of any script, at most 120 bytes,
// its ending kept.
//
// It is its own answer: cutting may leave an ending that was none before, which is
// then tidied like any other, so that a name that was stored is found by the same name.
func Sanitized(proposed string) string {
	for {
		name := tidied(proposed)
		if name == proposed {
			return name
		}
		proposed = name
	}
}

// tidied is one pass of Sanitized. A pass only ever shortens a name that an earlier
// one has made, so that there is an end to them.
func tidied(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == utf8.RuneError:
			r = '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '.', r == '_', r == '-':
		default:
			r = '-'
		}
		if r == '-' && strings.HasSuffix(b.String(), "-") {
			continue
		}
		b.WriteRune(r)
	}
	name = strings.Trim(b.String(), ".-")
	ext := filepath.Ext(name)
	if len(ext) > maxExt {
		ext = ""
	}
	base := strings.TrimRight(strings.TrimSuffix(name, ext), ".-")
	base = strings.TrimRight(cut(base, maxName-len(ext)), ".-")
	if base == "" {
		base = "download"
	}
	if reserved(base) {
		base = "file-" + base
	}
	return base + ext
}

// reserved says whether some system takes the name for a device.
func reserved(base string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(base), ".")
	if len(stem) == 4 && stem[3] >= '0' && stem[3] <= '9' {
		return stem[:3] == "com" || stem[:3] == "lpt"
	}
	return slices.Contains([]string{"con", "prn", "aux", "nul"}, stem)
}

// cut shortens s to at most n bytes, between characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// plain says whether it is a regular file that has no other name.
func plain(info fs.FileInfo) bool { return info.Mode().IsRegular() && links(info) == 1 }
