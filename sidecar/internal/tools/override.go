package tools

import "encoding/json"

// override is an argument that may be text, null or left out; the three mean
// different things.
type override struct {
	given bool
	value string // empty for null
}

// UnmarshalJSON is called for text and for null, not for a key that is missing.
func (o *override) UnmarshalJSON(b []byte) error {
	o.given, o.value = true, ""
	if string(b) == "null" {
		return nil
	}
	return json.Unmarshal(b, &o.value)
}

// apply sets field to what was given.
func (o *override) apply(field *string) {
	if o.given {
		*field = o.value
	}
}
