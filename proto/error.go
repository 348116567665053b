package proto

// Error is what every border of Pillion answers with: a stable code for
// programs, one sentence for people, and what to do about it.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Code is a stable name of a kind of failure.
type Code string

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ". " + e.Hint
}
