package proto

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Failure is one broken rule of a launch config.
type Failure struct {
	Key     string // the dotted name, such as "live.origins"
	Message string // starts with Key; one clause, lower case, no full stop
}

// LaunchError is a refused launch config. It is never empty, and it unwraps to
// an [Error] with [CodeConfigInvalid] and the first failure's message.
type LaunchError struct {
	// Failures holds every broken rule, in the order of the checks.
	Failures []Failure
}

// Error is the first failure, the one that a program or a person fixes first.
func (e *LaunchError) Error() string { return e.Failures[0].Message }

// Unwrap gives the error as a border shows it.
func (e *LaunchError) Unwrap() error {
	wrapped := &Error{Code: CodeConfigInvalid, Message: e.Error()}
	if n := len(e.Failures) - 1; n > 0 {
		wrapped.Hint = fmt.Sprintf("There are %d more failures in the config", n)
		if n == 1 {
			wrapped.Hint = "There is 1 more failure in the config"
		}
	}
	return wrapped
}

// Warning is something in a launch config that is taken as it is and probably
// not meant so.
type Warning struct {
	Key     string // the dotted name
	Message string // starts with Key; one clause, lower case, no full stop
}

// documentKey stands for the dotted name where the document itself is wrong.
const documentKey = "configuration"

// refuseDocument is the error of a config that has no keys to speak of.
func refuseDocument(rule string) *LaunchError {
	return &LaunchError{Failures: []Failure{{documentKey, documentKey + " " + rule}}}
}

// maxFailures and maxWarnings bound what a config of a million bad entries
// brings to stderr.
const (
	maxFailures = 50
	maxWarnings = 50
)

// checker collects what is wrong with a document.
type checker struct {
	parse    URLParser
	failures []Failure
	warnings []Warning
}

func (c *checker) fail(key, rule string) {
	if len(c.failures) < maxFailures {
		c.failures = append(c.failures, Failure{key, key + " " + rule})
	}
}

func (c *checker) warn(key, clause string) {
	if len(c.warnings) < maxWarnings {
		c.warnings = append(c.warnings, Warning{key, key + " " + clause})
	}
}

// warnUnknown warns about the keys of obj that nobody reads. A misspelt key
// would otherwise be a setting that silently does not hold.
func (c *checker) warnUnknown(prefix string, obj map[string]any, known ...string) {
	for _, key := range slices.Sorted(maps.Keys(obj)) {
		if slices.Contains(known, key) {
			continue
		}
		name := printable(key)
		if prefix != "" {
			name = prefix + "." + name
		}
		clause := "is not a known key and is ignored"
		if near := nearest(key, known); near != "" {
			clause += ", did you mean " + near
		}
		c.warn(name, clause)
	}
}

// printable shows a foreign key on one line and in bounds.
func printable(key string) string {
	const longest = 64 // more than twice the longest known key
	if cut := utf16Cut(key, longest); cut != key {
		key = cut + "…"
	}
	quoted := strconv.Quote(key)
	if plain := quoted[1 : len(quoted)-1]; plain == key && key != "" && !strings.ContainsAny(key, ". ") {
		return key
	}
	return quoted
}

// nearest finds the known key that was probably meant, or "".
func nearest(key string, known []string) string {
	best, bestDistance := "", 3 // two slips are a typo, three are another word
	folded := foldKey(key)
	if len(folded) > 64 {
		return ""
	}
	for _, candidate := range known {
		target := foldKey(candidate)
		if d := distance(folded, target); d < bestDistance && d*2 < len(target) {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// foldKey makes "stopAt", "Stop-At" and "stop_at" one.
func foldKey(key string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(key))
}

// distance is the number of single-byte insertions, deletions and
// replacements that turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
