package mcp

import (
	"bytes"
	"encoding/json"
	"math/big"
	"unicode/utf8"
)

// message is one JSON-RPC message of a client, not yet trusted further than
// its envelope.
type message struct {
	id        json.RawMessage // as the client wrote it; nil when absent or null
	key       string          // equal for ids that are the same JSON value
	method    string
	hasMethod bool            // method was there and is text
	params    json.RawMessage // nil when absent
	stateless bool            // of a revision without sessions
}

// request says whether the message wants an answer.
func (m message) request() bool { return m.hasMethod && m.id != nil }

// parseMessage reads a body. The error is the answer to a body that is none.
//
// Keys are matched exactly and the last of equal ones counts, as in every
// JavaScript engine; a struct of encoding/json would take "Method" for
// "method". Bytes that are not UTF-8 become U+FFFD, as there.
func parseMessage(body []byte) (message, *rpcError) {
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil && !json.Valid(body) {
		return message{}, errNotJSON
	}
	var version string
	if !readString(fields["jsonrpc"], &version) || version != "2.0" {
		return message{}, errNotMessage
	}
	var m message
	if id := fields["id"]; id != nil && string(id) != "null" {
		key, ok := idKey(id)
		if !ok {
			return message{}, errNotMessage
		}
		m.id, m.key = id, key
	}
	m.hasMethod = readString(fields["method"], &m.method)
	m.params = fields["params"]
	return m, nil
}

// readString decodes raw into s if it is a JSON string.
func readString(raw json.RawMessage, s *string) bool {
	return len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, s) == nil
}

// maxNumber and maxExponentDigits bound the arithmetic on an id, whose cost grows
// with the square of its length: four million digits took a minute, and 1e99999999
// is a number that nobody needs to compare by value, either.
const (
	maxNumber         = 64
	maxExponentDigits = 3
)

// idKey gives ids that are the same value the same key: 7, 7.0 and 7e0 are one
// id, "7" is another. False for ids that are neither text nor number.
//
// The comparison is exact where a float's is not: 9007199254740993 and
// 9007199254740992 are two ids to whoever sent them.
func idKey(raw json.RawMessage) (string, bool) {
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return "", false
		}
		return "s" + s, true
	}
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return "", false
	}
	if handy(raw) {
		if n, ok := new(big.Rat).SetString(string(raw)); ok {
			return "n" + n.RatString(), true
		}
	}
	return "n" + string(raw), true
}

// handy says whether a number's value is cheap to compute.
func handy(number []byte) bool {
	i := bytes.IndexAny(number, "eE")
	return len(number) <= maxNumber && (i < 0 || len(bytes.TrimLeft(number[i+1:], "+-0")) <= maxExponentDigits)
}

// object decodes a JSON object by its exact keys; nil for any other value.
func object(raw json.RawMessage) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	return fields
}

// withoutCapabilities empties what a client says it can do: this dialect has
// no way to ask it for anything. Params that are no object stay as they are.
func withoutCapabilities(params json.RawMessage) json.RawMessage {
	fields := object(params)
	if fields == nil {
		return params
	}
	fields["capabilities"] = json.RawMessage("{}")
	return encode(fields)
}
