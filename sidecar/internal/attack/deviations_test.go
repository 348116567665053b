//go:build linux

package attack

// deviations are the rows whose expectation the product's contract overrules:
// for callers of the original, which must go on working. Each is run for what
// the contract says.
func deviations() map[string]string {
	return map[string]string{
		"S010": "a path, query or fragment of app_url is dropped, and its origin is what counts; user and password are refused",
		"S011": "a stop_at in the past starts and ends at once with exit 0, as an expiry does",
		"S013": "unknown keys are ignored, with a warning that names them; no key that is left out weakens a wall",
		"S081": "Content-Type is never looked at: callers of the original send none; a page's simple request fails on Host, Origin and token",
		"S101": "a schema error is -32603 in a 200, as callers of the original know it; the tool does not run",
		"S107": "a relative URL without a slash is refused: it would make a path of example.com, too",
		"S210": "a binary message of a viewer does nothing; as the first one it is no ticket and closes with 4401",
		"S212": "what is unknown does nothing, and the socket stays: newer pages talk to older sidecars",
		"S213": "what is unknown does nothing, and the socket stays: newer pages talk to older sidecars",
		"S125": "about:blank may be opened: it is the start page, holds nothing, and asks nobody for anything",
	}
}
