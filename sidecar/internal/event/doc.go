// Package event is the session's one ordered stream: what pages, the network,
// people and the agent did, as small facts without secrets.
//
// # Invariants
//
//   - Events have consecutive numbers and reach every listener in that order.
//   - A listener must not wait and must not publish; it copies what it needs and
//     hands it on. Publishing never blocks on a consumer.
//   - No event carries typed text, tokens, or a URL's query or fragment: who
//     publishes cuts them before.
//
// # Why
//
// The recording, the supervisor's event lines, the live view and a tool's next
// result all tell the same story; one stream keeps them from telling it in
// different orders.
package event
