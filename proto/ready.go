package proto

// Ready is the sidecar's first stdout line. The first four keys are the
// original's, in its order.
type Ready struct {
	Ready    bool     `json:"ready"`
	Port     int      `json:"port"`
	Version  string   `json:"version"`
	PID      int      `json:"pid"`
	MCPURL   string   `json:"mcp_url"`
	LiveURL  string   `json:"live_url,omitempty"`
	Chromium Chromium `json:"chromium"`
	Features Features `json:"features"`
}

// Chromium names the browser that runs.
type Chromium struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Flavour string `json:"flavour"` // "shell" or "full"
}

// Features says which walls and guarantees hold on this system.
type Features struct {
	Sandbox          bool `json:"sandbox"`           // Chromium's own sandbox is on
	PrivateNetwork   bool `json:"private_network"`   // Chromium lives in a network namespace of its own
	UnprivilegedUser bool `json:"unprivileged_user"` // Chromium runs as a user that is not the sidecar's
	Janitor          bool `json:"janitor"`           // a survivor cleans up after kill -9
}
