package proto

import (
	"errors"
	"slices"
	"strings"
)

// maxLaunch bounds a launch config in bytes. An origin's localStorage can hold
// 5 Mi characters, 15 MiB in UTF-8; the rest is room for JSON and cookies.
const maxLaunch = 20 << 20

// DecodeLaunch reads a launch config: exactly one JSON object.
//
// Every rule is checked, in the order of the fields of [Launch] as the wire
// has them (chromium_sandbox between port and workdir). A broken rule gives a
// [*LaunchError] with all failures, the first one first, and no Launch. Keys
// that nobody reads give warnings, also beside an error. Decoding fills in
// every default, limits StorageState to the app, and never puts a value of the
// config into a message.
func DecodeLaunch(data []byte, parse URLParser) (Launch, []Warning, error) {
	if len(data) > maxLaunch {
		return Launch{}, nil, refuseDocument(ruleSize)
	}
	v, err := decodeValue(data)
	switch {
	case errors.Is(err, errTooDeep):
		return Launch{}, nil, refuseDocument("must not nest deeper than 64 levels")
	case errors.Is(err, errTrailing):
		return Launch{}, nil, refuseDocument(ruleTrailing)
	case err != nil:
		return Launch{}, nil, refuseDocument(ruleJSON)
	}
	doc, ok := v.(map[string]any)
	if !ok {
		return Launch{}, nil, refuseDocument("must be a JSON object")
	}
	c := &checker{parse: parse}
	l := c.launch(doc)
	if len(c.failures) > 0 {
		return Launch{}, c.warnings, &LaunchError{Failures: c.failures}
	}
	return l, c.warnings, nil
}

// The rules of the document that the stream's reader finds too.
const (
	ruleJSON     = "must be JSON"
	ruleTrailing = "must be one JSON object with nothing after it"
	ruleSize     = "must not be larger than 20 MiB"
)

// launch checks doc. The order of the statements is the order in which
// failures are reported.
func (c *checker) launch(doc map[string]any) Launch {
	c.warnUnknown("", doc, "mode", "capabilities", "allowed_hosts", "port", "chromium_sandbox", "workdir",
		"app_url", "storage_state", "token", "host", "stop_at", "recording", "live",
		"lifeline", "chromium_path", "chromium", "viewport", "snapshot", "snapshot_max_chars", "screenshot_max_edge", "metrics",
		"egress", "allow_origins", "allow_hosts", "loopback_aliases", "ignore_https_errors", "app_ca")

	var l Launch
	l.Mode = Mode(c.oneOf("mode", doc["mode"], string(Headless), string(Headed)))
	l.Capabilities = c.capabilities("capabilities", doc["capabilities"])
	l.AllowedHosts = c.allowedHosts("allowed_hosts", doc["allowed_hosts"])
	l.Port = c.integer("port", doc["port"], 0, 65535, 0)
	if v, present := doc["chromium_sandbox"]; present {
		// The one key for which null is not "absent": what weakens a wall
		// must be said in so many words.
		on, ok := v.(bool)
		if !ok {
			c.fail("chromium_sandbox", "must be true or false")
		}
		l.DisableChromiumSandbox = ok && !on
	}
	l.Workdir = c.text("workdir", doc["workdir"])
	app, appOK := c.httpURL("app_url", doc["app_url"])
	l.AppURL = app.Origin
	if doc["storage_state"] != nil {
		state := c.storageState("storage_state", doc["storage_state"])
		if appOK {
			l.StorageState = state.Filter(app.Hostname, app.Origin)
		}
	}
	l.Token = c.token("token", doc["token"])
	l.Host = c.host("host", doc["host"])
	l.StopAt = c.stopAt("stop_at", doc["stop_at"])
	l.Recording = c.recording("recording", doc["recording"])
	l.Live = c.live("live", doc["live"])

	l.Lifeline = c.flag("lifeline", doc["lifeline"])
	l.ChromiumPath = c.text("chromium_path", doc["chromium_path"])
	l.Chromium = c.oneOf("chromium", doc["chromium"], ChromiumAuto, ChromiumShell, ChromiumFull)
	l.Viewport = c.viewport("viewport", doc["viewport"])
	l.Snapshot = c.oneOf("snapshot", doc["snapshot"], SnapshotFull, SnapshotChanges, SnapshotNone)
	l.SnapshotMaxChars = c.integer("snapshot_max_chars", doc["snapshot_max_chars"], minSnapshot, maxSnapshot, DefaultSnapshotMaxChars)
	l.ScreenshotMaxEdge = c.integer("screenshot_max_edge", doc["screenshot_max_edge"], minEdge, maxEdge, DefaultScreenshotMaxEdge)
	l.Metrics = c.flag("metrics", doc["metrics"])
	c.reach(&l, doc, app)
	return l.WithDefaults()
}

func (c *checker) capabilities(key string, v any) []string {
	var kept []string
	for _, v := range c.array(key, v) {
		s, _ := v.(string)
		if !slices.Contains(Capabilities(), s) {
			c.fail(key, "must be an array of testing, vision and pdf")
			return nil
		}
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

func (c *checker) allowedHosts(key string, v any) []string {
	var hosts []string
	for _, v := range c.array(key, v) {
		s, _ := v.(string)
		if s == "" {
			c.fail(key, "must be an array of strings that are not empty")
			return nil
		}
		hosts = append(hosts, strings.ToLower(s))
	}
	return hosts
}

// host takes anything, as the original does, but says so.
func (c *checker) host(key string, v any) string {
	s, ok := v.(string)
	if v != nil && (!ok || s == "") {
		c.warn(key, "is not a host name, so "+DefaultHost+" is used")
	}
	return s
}

func (c *checker) stopAt(key string, v any) *float64 {
	at, ok := Instant(v)
	if v != nil && !ok {
		c.fail(key, "must be epoch milliseconds or an ISO 8601 date")
	}
	if !ok {
		return nil
	}
	return &at
}

func (c *checker) recording(key string, v any) *Recording {
	obj, ok := c.object(key, v, "url", "token", "batch_events", "batch_bytes", "actions", "spool_bytes", "file",
		"video", "video_takeovers", "video_bytes")
	if !ok {
		return nil
	}
	var r Recording
	switch r.File = c.text(key+".file", obj["file"]); {
	case r.File == "":
		u, _ := c.httpURL(key+".url", obj["url"])
		r.URL = u.Href
		r.Token = c.token(key+".token", obj["token"])
	case obj["url"] != nil || obj["token"] != nil:
		c.fail(key+".file", "is for recording without a host, so there must be no recording.url and recording.token beside it")
	}
	r.BatchEvents = c.positive(key+".batch_events", obj["batch_events"])
	r.BatchBytes = c.positive(key+".batch_bytes", obj["batch_bytes"])
	r.Actions = c.flag(key+".actions", obj["actions"])
	r.Video = c.flag(key+".video", obj["video"])
	r.VideoTakeovers = c.flag(key+".video_takeovers", obj["video_takeovers"])
	r.VideoBytes = c.integer(key+".video_bytes", obj["video_bytes"], 1, maxCount, 0)
	r.SpoolBytes = c.integer(key+".spool_bytes", obj["spool_bytes"], 0, maxCount, 0)
	return &r
}

func (c *checker) live(key string, v any) *Live {
	obj, ok := c.object(key, v, "session_id", "origins", "agent_wait_ms", "release_grace_ms",
		"max_hold_ms", "idle_release_ms", "max_viewers", "viewer", "ask_person")
	if !ok {
		return nil
	}
	var l Live
	if l.SessionID = c.text(key+".session_id", obj["session_id"]); obj["session_id"] == nil {
		c.fail(key+".session_id", "is required")
	}
	l.Origins = c.origins(key+".origins", obj["origins"])
	l.AgentWaitMS = c.integer(key+".agent_wait_ms", obj["agent_wait_ms"], 0, MaxAgentWaitMS, DefaultAgentWaitMS)
	if l.AgentWaitMS == 0 {
		l.AgentWaitMS = NoAgentWait
	}
	l.ReleaseGraceMS = c.positive(key+".release_grace_ms", obj["release_grace_ms"])
	l.MaxHoldMS = c.positive(key+".max_hold_ms", obj["max_hold_ms"])
	l.IdleReleaseMS = c.positive(key+".idle_release_ms", obj["idle_release_ms"])
	l.MaxViewers = c.integer(key+".max_viewers", obj["max_viewers"], 1, mostViewers, DefaultMaxViewers)
	l.Viewer = c.flag(key+".viewer", obj["viewer"])
	l.AskPerson = c.flag(key+".ask_person", obj["ask_person"])
	return &l
}

// origins are the pages that may open the live view: each one exactly, no
// patterns. They are kept serialised, so that comparing strings compares
// origins.
func (c *checker) origins(key string, v any) []string {
	list, _ := v.([]any)
	if len(list) == 0 {
		c.fail(key, "must be an array of at least one origin")
		return nil
	}
	var origins []string
	for _, v := range list {
		raw, isString := v.(string)
		u, err := c.parseURL(raw)
		if !isString || err != nil || !web(u) || u.Path != "/" || u.Query != "" || u.Fragment != "" || userInfo(u) {
			c.fail(key, "must be origins such as http://localhost:3000, without path, query, fragment and user")
			return nil
		}
		if !slices.Contains(origins, u.Origin) {
			origins = append(origins, u.Origin)
		}
	}
	return origins
}

func (c *checker) viewport(key string, v any) Viewport {
	obj, ok := c.object(key, v, "width", "height")
	if !ok {
		return Viewport{}
	}
	return Viewport{
		Width:  c.integer(key+".width", obj["width"], 1, maxViewport, DefaultViewportWidth),
		Height: c.integer(key+".height", obj["height"], 1, maxViewport, DefaultViewportHeight),
	}
}
