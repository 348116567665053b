package proto

// Secret is a string that no formatter, logger or encoder shows.
type Secret struct{ v string }

// NewSecret wraps s.
func NewSecret(s string) Secret { return Secret{s} }

// Reveal returns the value, for the one place that must send or compare it.
func (s Secret) Reveal() string { return s.v }

// String shows that there is a secret, not what it is.
func (s Secret) String() string { return "[secret]" }
