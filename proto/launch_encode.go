package proto

// launchWire is a Launch as it is written: the original's keys first, absent
// where the default holds. An original sidecar reads it and ignores the rest.
type launchWire struct {
	Mode            Mode           `json:"mode,omitempty"`
	Capabilities    []string       `json:"capabilities,omitempty"`
	AllowedHosts    []string       `json:"allowed_hosts,omitempty"`
	Port            int            `json:"port,omitempty"`
	ChromiumSandbox *bool          `json:"chromium_sandbox,omitempty"`
	Workdir         string         `json:"workdir,omitempty"`
	AppURL          string         `json:"app_url,omitempty"`
	StorageState    *StorageState  `json:"storage_state,omitempty"`
	Token           string         `json:"token,omitempty"`
	Host            string         `json:"host,omitempty"`
	StopAt          *float64       `json:"stop_at,omitempty"`
	Recording       *recordingWire `json:"recording,omitempty"`
	Live            *liveWire      `json:"live,omitempty"`

	Lifeline     bool      `json:"lifeline,omitempty"`
	ChromiumPath string    `json:"chromium_path,omitempty"`
	Chromium     string    `json:"chromium,omitempty"`
	Viewport     *viewport `json:"viewport,omitempty"`

	Snapshot          string `json:"snapshot,omitempty"`
	SnapshotMaxChars  int    `json:"snapshot_max_chars,omitempty"`
	ScreenshotMaxEdge int    `json:"screenshot_max_edge,omitempty"`
	Metrics           bool   `json:"metrics,omitempty"`

	Egress            Egress          `json:"egress,omitempty"`
	AllowOrigins      []AllowedOrigin `json:"allow_origins,omitempty"`
	AllowHosts        []AllowedHost   `json:"allow_hosts,omitempty"`
	LoopbackAliases   bool            `json:"loopback_aliases,omitempty"`
	IgnoreHTTPSErrors bool            `json:"ignore_https_errors,omitempty"`
	AppCA             string          `json:"app_ca,omitempty"`
}

type recordingWire struct {
	URL         string `json:"url,omitempty"`
	Token       string `json:"token,omitempty"`
	BatchEvents int    `json:"batch_events,omitempty"`
	BatchBytes  int    `json:"batch_bytes,omitempty"`

	Actions    bool   `json:"actions,omitempty"`
	SpoolBytes int    `json:"spool_bytes,omitempty"`
	File       string `json:"file,omitempty"`

	Video          bool `json:"video,omitempty"`
	VideoTakeovers bool `json:"video_takeovers,omitempty"`
	VideoBytes     int  `json:"video_bytes,omitempty"`
}

type liveWire struct {
	SessionID      string   `json:"session_id"`
	Origins        []string `json:"origins"`
	AgentWaitMS    *int     `json:"agent_wait_ms,omitempty"`
	ReleaseGraceMS int      `json:"release_grace_ms,omitempty"`
	MaxHoldMS      int      `json:"max_hold_ms,omitempty"`
	IdleReleaseMS  int      `json:"idle_release_ms,omitempty"`
	MaxViewers     int      `json:"max_viewers,omitempty"`
	Viewer         bool     `json:"viewer,omitempty"`
	AskPerson      bool     `json:"ask_person,omitempty"`
}

type viewport struct {
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
}

// Encode writes the config as the sidecar reads it from stdin: one JSON object
// on one line, without a newline. It is the only encoder that reveals the
// secrets, so what it returns goes to the sidecar and nowhere else.
//
// Encode checks nothing: the sidecar does, and reports by the rules of
// [DecodeLaunch]. What it accepts decodes to l with its defaults filled in.
func (l Launch) Encode() ([]byte, error) {
	w := launchWire{
		Mode:         l.Mode,
		Capabilities: l.Capabilities,
		AllowedHosts: l.AllowedHosts,
		Port:         l.Port,
		Workdir:      l.Workdir,
		AppURL:       l.AppURL,
		Token:        l.Token.Reveal(),
		Host:         l.Host,
		StopAt:       l.StopAt,
		Lifeline:     l.Lifeline,
		ChromiumPath: l.ChromiumPath,
		Chromium:     l.Chromium,

		Snapshot: l.Snapshot, SnapshotMaxChars: l.SnapshotMaxChars, ScreenshotMaxEdge: l.ScreenshotMaxEdge, Metrics: l.Metrics,

		Egress: l.Egress, AllowOrigins: l.AllowOrigins, AllowHosts: l.AllowHosts, LoopbackAliases: l.LoopbackAliases,
		IgnoreHTTPSErrors: l.IgnoreHTTPSErrors, AppCA: l.AppCA,
	}
	if l.DisableChromiumSandbox {
		w.ChromiumSandbox = new(false)
	}
	if !l.StorageState.IsZero() {
		w.StorageState = &l.StorageState
	}
	if r := l.Recording; r != nil {
		w.Recording = &recordingWire{r.URL, r.Token.Reveal(), r.BatchEvents, r.BatchBytes, r.Actions, r.SpoolBytes, r.File, r.Video, r.VideoTakeovers, r.VideoBytes}
	}
	if v := l.Live; v != nil {
		w.Live = &liveWire{
			SessionID: v.SessionID, Origins: v.Origins, ReleaseGraceMS: v.ReleaseGraceMS,
			MaxHoldMS: v.MaxHoldMS, IdleReleaseMS: v.IdleReleaseMS, MaxViewers: v.MaxViewers, Viewer: v.Viewer, AskPerson: v.AskPerson,
		}
		if v.AgentWaitMS != 0 {
			w.Live.AgentWaitMS = new(max(v.AgentWaitMS, 0))
		}
	}
	if l.Viewport != (Viewport{}) {
		w.Viewport = &viewport{l.Viewport.Width, l.Viewport.Height}
	}
	return encodeJSON(w)
}
