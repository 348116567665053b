// Package backend makes a supervisor's Runner from configuration, so that where
// browsers run is an operator's choice and not a programmer's.
//
//	{"kind": "local"}
//	{"kind": "container", "options": {"image": "pillion", "memory": "1g"}}
//
//	var c backend.Config // from your configuration file
//	runner, err := backend.Open(c, nil)
//	s := supervisor.Supervisor{Runner: runner}
//
// # Why
//
// Why does a host pass the kinds of others to Open, and why is there no
// registry? What a program links is seen in its imports and in this call. A
// Kubernetes client is large; who does not use it does not link it.
//
// Why are unknown keys refused? A misspelt limit is no limit.
package backend
