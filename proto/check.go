package proto

import (
	"errors"
	"fmt"
	"strings"
)

// The checks that several keys share. Each takes the key's dotted name and its
// decoded value, gives the zero value for null and for a missing key, and
// reports at most one failure.

func (c *checker) object(key string, v any, known ...string) (map[string]any, bool) {
	if v == nil {
		return nil, false
	}
	obj, ok := v.(map[string]any)
	if !ok {
		c.fail(key, "must be an object")
		return nil, false
	}
	c.warnUnknown(key, obj, known...)
	return obj, true
}

func (c *checker) array(key string, v any) []any {
	list, ok := v.([]any)
	if v != nil && !ok {
		c.fail(key, "must be an array")
	}
	return list
}

// text is a string that is not empty.
func (c *checker) text(key string, v any) string {
	s, _ := v.(string)
	if v != nil && s == "" {
		c.fail(key, "must be a string that is not empty")
	}
	return s
}

func (c *checker) flag(key string, v any) bool {
	b, ok := v.(bool)
	if v != nil && !ok {
		c.fail(key, "must be true or false")
	}
	return b
}

func (c *checker) oneOf(key string, v any, allowed ...string) string {
	if v == nil {
		return ""
	}
	s, ok := v.(string)
	for _, a := range allowed {
		if ok && s == a {
			return s
		}
	}
	c.fail(key, "must be "+strings.Join(allowed[:len(allowed)-1], ", ")+" or "+allowed[len(allowed)-1])
	return ""
}

func (c *checker) integer(key string, v any, low, high, otherwise int) int {
	if v == nil {
		return otherwise
	}
	n, ok := wholeIn(v, low, high)
	if !ok {
		c.fail(key, fmt.Sprintf("must be a whole number from %d to %d", low, high))
	}
	return n
}

// positive is a whole number above 0, cut to what fits every system's int;
// 0 for the default.
func (c *checker) positive(key string, v any) int {
	if v == nil {
		return 0
	}
	f, ok := whole(v)
	if !ok || f <= 0 {
		c.fail(key, "must be a whole number above 0")
		return 0
	}
	return int(min(f, maxCount))
}

// token is a bearer token. It is required wherever it can stand.
func (c *checker) token(key string, v any) Secret {
	s, ok := v.(string)
	switch {
	case v == nil:
		c.fail(key, "is required")
	case !ok || utf16Len(s) < minTokenLength || hasSpace(s):
		c.fail(key, fmt.Sprintf("must be a string of at least %d characters without whitespace", minTokenLength))
	default:
		return NewSecret(s)
	}
	return Secret{}
}

// httpURL is a required absolute URL that a credential can't hide in.
func (c *checker) httpURL(key string, v any) (URL, bool) {
	if v == nil {
		c.fail(key, "is required")
		return URL{}, false
	}
	raw, isString := v.(string)
	u, err := c.parseURL(raw)
	switch {
	case !isString || err != nil || !web(u):
		c.fail(key, "must be an absolute http or https URL")
	case userInfo(u):
		c.fail(key, "must not have a user or a password")
	case u.Port == "0":
		c.fail(key, "must not name port 0, where nobody can listen")
	default:
		return u, true
	}
	return URL{}, false
}

var errNoParser = errors.New("no URL parser")

// parseURL refuses every URL where the caller gave no parser.
func (c *checker) parseURL(raw string) (URL, error) {
	if c.parse == nil {
		return URL{}, errNoParser
	}
	return c.parse(raw)
}

func web(u URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

func userInfo(u URL) bool { return u.Username != "" || u.Password != "" }
