package proto

// Event is one line of the sidecar's stdout after Ready, under a lifeline.
type Event struct {
	Type string `json:"type"` // "stopping", "stopped", "page", "refused", "crashed", ...
	At   int64  `json:"at"`   // epoch milliseconds
	// Reason says why, for stopping and stopped.
	Reason string `json:"reason,omitempty"`
	// Detail is the type's own payload.
	Detail map[string]any `json:"detail,omitempty"`
}

// Command is one line of the sidecar's stdin after the config, under a lifeline.
type Command struct {
	Type   string   `json:"type"` // "stop", "extend", "revoke", "ping"
	StopAt *float64 `json:"stop_at,omitempty"`
	User   string   `json:"user,omitempty"`
	ID     string   `json:"id,omitempty"`
}
