// Package redact keeps secrets out of what people and programs read: tokens out
// of logs and texts ([Masker]), and what somebody typed out of the records of
// tool calls ([TypedArguments]).
//
// # Invariants
//
//   - A secret never passes a [Masker] whole, in any of the forms that software
//     gives it by accident: other case, base64 of both alphabets at any offset,
//     hexadecimal, and every mixture of percent, JSON, HTML and query escapes.
//   - A stream is masked as the whole text would be, wherever it is cut into
//     writes. What might be the start of a secret is held back until it is not.
//   - Too much is masked rather than too little.
//   - What can't be read is not passed on.
//
// # Why
//
// Why a matcher of its own and not a replacer with a list of forms: escapes mix
// freely (one character of a token as %2B, the rest plain), so a list of forms is
// never whole, and a replacer can't tell that a write ends in half of one.
//
// Why short secrets are not masked: a secret of three letters would black out
// half of a log and give itself away by the gaps. Tokens here have 32 characters
// and more.
package redact
