package proto

// The messages of the live view from the sidecar to a viewer: JSON text, one
// message each, keys in the original's order. Viewers ignore types that they
// do not know.

// ControlState says who drives, as one connection sees it.
type ControlState struct {
	Held  bool    `json:"held"`  // somebody drives by hand
	Mine  bool    `json:"mine"`  // this connection does
	Yours bool    `json:"yours"` // this connection or another one of the same person
	By    *string `json:"by"`    // the driver's name
	Since *int64  `json:"since"` // epoch milliseconds
}

// AgentState says whether an agent's call waits for the driver.
type AgentState struct {
	Waiting bool    `json:"waiting"`
	Tool    *string `json:"tool"`  // of the call that has waited longest
	Since   *int64  `json:"since"` // epoch milliseconds
}

// PageState is the page on screen.
type PageState struct {
	URL  *string `json:"url"`  // origin and path, about:blank, or null
	Tab  int     `json:"tab"`  // from 1, among the open pages
	Tabs int     `json:"tabs"` // how many are open
}

// LiveReady is the first message to a viewer.
type LiveReady struct {
	Control ControlState `json:"control"`
	Agent   AgentState   `json:"agent"`
	Page    *PageState   `json:"page"` // nil = null: no page is on screen
}

// LiveFrame is one picture. Width and Height are the page's in CSS pixels, not
// the picture's.
type LiveFrame struct {
	Data   string `json:"data"` // JPEG, base64
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// LivePage says that another page is on screen or that it has navigated.
type LivePage struct {
	Page *PageState `json:"page"` // nil = null
}

// LiveError answers a viewer's message that was refused.
type LiveError struct {
	Code    Code   `json:"code"` // CodeViewOnly or CodeHeld
	Message string `json:"message"`
}

// Close codes of the live view's WebSocket, with the reasons that go with
// them. A refused ticket's reason is its [TicketRefusal].
const (
	CloseStopping       = 1001
	CloseTooBig         = 1009
	CloseRefused        = 4401
	CloseNoTicket       = 4408
	CloseTooManyViewers = 4429

	CloseReasonStopping       = "The browser stopped"
	CloseReasonNoTicketFirst  = "no ticket first" // with CloseRefused
	CloseReasonNoTicket       = "No ticket"
	CloseReasonTooManyViewers = "Too many viewers"
)

// Encode writes a ready message.
func (m LiveReady) Encode() ([]byte, error) {
	return encodeJSON(struct {
		Type string `json:"type"`
		LiveReady
	}{"ready", m})
}

// Encode writes a frame message.
func (m LiveFrame) Encode() ([]byte, error) {
	return encodeJSON(struct {
		Type string `json:"type"`
		LiveFrame
	}{"frame", m})
}

// Encode writes a control message.
func (m ControlState) Encode() ([]byte, error) {
	return encodeJSON(struct {
		Type string `json:"type"`
		ControlState
	}{"control", m})
}

// Encode writes an agent message.
func (m AgentState) Encode() ([]byte, error) {
	return encodeJSON(struct {
		Type string `json:"type"`
		AgentState
	}{"agent", m})
}

// Encode writes a page message.
func (m LivePage) Encode() ([]byte, error) {
	return encodeJSON(struct {
		Type string `json:"type"`
		LivePage
	}{"page", m})
}

// Encode writes an error message.
func (m LiveError) Encode() ([]byte, error) {
	return encodeJSON(struct {
		Type string `json:"type"`
		LiveError
	}{"error", m})
}
