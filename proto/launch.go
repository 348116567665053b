package proto

// Launch is the sidecar's configuration: the first JSON value on its stdin.
// The zero value of an optional field means "the default".
type Launch struct {
	// The original's keys, in the order in which they are checked.
	Mode            Mode         // "headless" (default) or "headed"
	Capabilities    []string     // of "testing", "vision", "pdf"
	AllowedHosts    []string     // further Host header values, lower-cased, each with its port
	Port            int          // 0 = the system picks one
	ChromiumSandbox bool         // default true
	Workdir         string       // existing directory; "" = a temporary one of the sidecar's own
	AppURL          string       // kept as its serialised origin
	StorageState    StorageState // limited to the app at decoding
	Token           Secret       // bearer token, 32 characters or more
	Host            string       // listen address, default 127.0.0.1
	StopAt          *float64     // epoch milliseconds; nil = none
	Recording       *Recording   // nil = record nothing
	Live            *Live        // nil = no live view

	// Pillion's own keys.
	Lifeline     bool     // stdin stays open for commands; its end means the parent died
	ChromiumPath string   // the browser's executable; "" = found by the sidecar
	Chromium     string   // "auto" (default), "shell" or "full"
	Viewport     Viewport // CSS pixels, default 1280 x 800
}

// Mode says whether Chromium shows a window.
type Mode string

// The two modes.
const (
	Headless Mode = "headless"
	Headed   Mode = "headed"
)

// Viewport is the size of the page area in CSS pixels.
type Viewport struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// Recording says where recorded events go.
type Recording struct {
	URL         string
	Token       Secret
	BatchEvents int // default 1000
	BatchBytes  int // default 1048576
}

// Live switches the live view on.
type Live struct {
	SessionID      string
	Origins        []string // serialised origins
	AgentWaitMS    int      // default 20000, 0 to 45000
	ReleaseGraceMS int      // default 10000
}

// StorageState is a saved sign-in: cookies and the localStorage of origins.
type StorageState struct {
	Cookies []Cookie      `json:"cookies"`
	Origins []OriginState `json:"origins"`
}

// Cookie is one cookie of a StorageState, keys in wire order.
type Cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"`
	Path     string  `json:"path"`
	Expires  float64 `json:"expires"`
	HTTPOnly bool    `json:"httpOnly"`
	Secure   bool    `json:"secure"`
	SameSite string  `json:"sameSite"`
}

// OriginState is the localStorage of one origin.
type OriginState struct {
	Origin       string      `json:"origin"`
	LocalStorage []NameValue `json:"localStorage"`
}

// NameValue is one localStorage item.
type NameValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
