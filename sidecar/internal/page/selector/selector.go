package selector

import (
	"fmt"
	"regexp"
	"strings"
)

// Kinds of steps.
const (
	KindCSS         = "css"         // CSS
	KindXPath       = "xpath"       // Value
	KindText        = "text"        // Text: smallest elements with the text
	KindRole        = "role"        // Role, Text (accessible name), States
	KindLabel       = "label"       // Text
	KindPlaceholder = "placeholder" // Text
	KindAlt         = "alt"         // Text
	KindTitle       = "title"       // Text
	KindTestID      = "testid"      // Text
	KindNth         = "nth"         // N; negative counts from the end
	KindFilter      = "filter"      // Text, Has, Visible; Not turns it round
	KindAnd         = "and"         // Has: keep what it matches too
	KindOr          = "or"          // Has: add what it matches
)

// Target is what an agent named. Exactly one of Ref and Frames is set.
type Target struct {
	// Ref is a snapshot's reference: e12, f3e12.
	Ref string
	// Frames are the steps to take in the main frame, then in the frame whose
	// element they found, and so on: one list more than frames are entered.
	Frames [][]Step
	// Source is the text as it was given.
	Source string
}

// Step narrows a set of elements, beginning with the document.
type Step struct {
	Kind    string            `json:"kind"`
	CSS     List              `json:"css,omitempty"`
	Value   string            `json:"value,omitempty"`
	Text    *Text             `json:"text,omitempty"`
	Role    string            `json:"role,omitempty"`
	States  map[string]string `json:"states,omitempty"` // checked=true, level=2, …
	Hidden  bool              `json:"hidden,omitempty"` // role: hidden elements too
	N       int               `json:"n,omitempty"`
	Has     []Step            `json:"has,omitempty"`
	Visible *bool             `json:"visible,omitempty"`
	Not     bool              `json:"not,omitempty"`
}

// Text is a pattern for text. Whitespace is normalised on both sides.
type Text struct {
	Value string `json:"value"`           // the text, or a regular expression's source
	Match string `json:"match,omitempty"` // one of the Match constants
	Flags string `json:"flags,omitempty"` // of a regular expression
}

// Ways to match a text.
const (
	MatchPart  = ""      // contains, in any case
	MatchExact = "exact" // is, in the same case
	MatchOwn   = "own"   // a text node of the element's own is
	MatchRegex = "regex"
)

// Error says what was not understood.
type Error struct {
	Source string
	At     int // byte offset
	Reason string
}

func (e *Error) Error() string {
	where := e.Source
	if e.At > 0 && e.At < len(e.Source) {
		where = e.Source[e.At:]
	}
	return fmt.Sprintf("%q is not a ref or selector: %s (at %q)", shorten(e.Source), e.Reason, shorten(where))
}

// Understood says what Parse takes; borders give it as the hint of an [Error].
const Understood = `Give a ref of the snapshot (e12), CSS, text=…, role=button[name="Save"], xpath=//…, parts joined with >>, or getByRole('button', { name: 'Save' }), getByText(), getByLabel(), getByPlaceholder(), getByTestId(), getByAltText(), getByTitle(), locator() with .first(), .last(), .nth(n), .filter({ hasText })`

func shorten(s string) string {
	const most = 80
	for i := range s {
		if i >= most {
			return s[:i] + "…"
		}
	}
	return s
}

const maxSource = 4096 // longer than any selector that a person or model writes

var (
	refPattern = regexp.MustCompile(`^(?:\[?(?:aria-)?ref=)?((?:f\d{1,9})?e\d{1,9})\]?$`)
	callStart  = regexp.MustCompile(`^(?:await\s+)?(?:page\s*\.\s*)?(?:locator|getBy[A-Z]\w*|frameLocator)\s*\(`)
)

// Parse reads a ref, a selector or a locator expression.
func Parse(source string) (*Target, error) {
	s := strings.TrimSpace(source)
	switch {
	case s == "":
		return nil, &Error{Source: source, Reason: "it is empty"}
	case len(s) > maxSource:
		return nil, &Error{Source: source, Reason: fmt.Sprintf("it is longer than %d characters", maxSource)}
	}
	if m := refPattern.FindStringSubmatch(s); m != nil {
		return &Target{Ref: m[1], Source: source}, nil
	}
	var c chain
	var err error
	if callStart.MatchString(s) {
		c, err = parseLocator(s)
	} else {
		c, err = parseChain(s, 0)
	}
	if err != nil {
		return nil, err
	}
	for _, steps := range c {
		if len(steps) == 0 {
			return nil, &Error{Source: s, At: len(s), Reason: "it enters a frame and names nothing in it"}
		}
	}
	return &Target{Frames: c, Source: source}, nil
}

// chain is steps split at the places where a frame is entered.
type chain [][]Step

func (c *chain) add(steps ...Step) {
	if len(*c) == 0 {
		*c = chain{nil}
	}
	last := len(*c) - 1
	(*c)[last] = append((*c)[last], steps...)
}

func (c *chain) enterFrame() { *c = append(*c, nil) }

func (c *chain) append(o chain) {
	for i, steps := range o {
		if i > 0 {
			c.enterFrame()
		}
		c.add(steps...)
	}
}
