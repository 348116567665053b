package proto

// Code is a stable name of a kind of failure. Codes are only added, never
// renamed and never used for another thing, so a program may branch on them.
//
// A Code is itself an error, so that errors.Is(err, proto.CodeTimeout) finds
// it anywhere in a chain.
type Code string

// Error makes a code a target for errors.Is; its text is the code.
func (c Code) Error() string { return string(c) }

// Codes of the configuration.
const (
	CodeConfigInvalid    Code = "config_invalid"
	CodeConfigUnreadable Code = "config_unreadable"
	CodeConfigTimeout    Code = "config_timeout"
)

// Codes of the supervisor.
const (
	CodeBinaryMissing     Code = "binary_missing"
	CodeBinaryUnusable    Code = "binary_unusable"
	CodeSpawnFailed       Code = "spawn_failed"
	CodeExitedBeforeReady Code = "exited_before_ready"
	CodeReadyTimeout      Code = "ready_timeout"
	CodeReadyMalformed    Code = "ready_malformed"
	CodeVersionMismatch   Code = "version_mismatch"
	CodeSidecarExited     Code = "sidecar_exited"
	CodeSidecarHung       Code = "sidecar_hung"
	CodeStopForced        Code = "stop_forced"
	CodeLiveOff           Code = "live_off"
)

// Codes of the messages between supervisor and sidecar.
const (
	CodeMessageMalformed Code = "message_malformed"
	CodeMessageTooLong   Code = "message_too_long"
	CodeCommandUnknown   Code = "command_unknown"
)

// Codes of the sidecar's start and of its browser process.
const (
	CodeBrowserMissing      Code = "browser_missing"
	CodeBrowserUnsuitable   Code = "browser_unsuitable"
	CodeBrowserStartTimeout Code = "browser_start_timeout"
	CodeBrowserUnguarded    Code = "browser_unguarded"
	CodeBrowserExited       Code = "browser_exited"
	CodeSandboxUnavailable  Code = "sandbox_unavailable"
	CodeUserUnavailable     Code = "user_unavailable"
	CodeWorkdirUnusable     Code = "workdir_unusable"
	CodeListenFailed        Code = "listen_failed"
	CodeEgressFailed        Code = "egress_failed"
)

// Codes of access to the sidecar.
const (
	CodeUnauthorized   Code = "unauthorized"
	CodeHostDenied     Code = "host_denied"
	CodeOriginDenied   Code = "origin_denied"
	CodeTicketRefused  Code = "ticket_refused"
	CodeViewOnly       Code = "view_only"
	CodeViewerLimit    Code = "viewer_limit"
	CodeSessionLimit   Code = "session_limit"
	CodeSessionUnknown Code = "session_unknown"
	CodeTooLarge       Code = "too_large"
)

// Codes of tools.
const (
	CodeUnknownTool        Code = "unknown_tool"
	CodeToolDenied         Code = "tool_denied"
	CodeUnsupported        Code = "unsupported"
	CodeInvalidArguments   Code = "invalid_arguments"
	CodeRefUnknown         Code = "ref_unknown"
	CodeRefStale           Code = "ref_stale"
	CodeNotFound           Code = "not_found"
	CodeAmbiguous          Code = "ambiguous"
	CodeNotActionable      Code = "not_actionable"
	CodeTabUnknown         Code = "tab_unknown"
	CodePageClosed         Code = "page_closed"
	CodePageCrashed        Code = "page_crashed"
	CodePageHung           Code = "page_hung"
	CodeDialogOpen         Code = "dialog_open"
	CodeChooserOpen        Code = "chooser_open"
	CodeNoModal            Code = "no_modal"
	CodeNavigationFailed   Code = "navigation_failed"
	CodeScriptFailed       Code = "script_failed"
	CodeVerificationFailed Code = "verification_failed"
	CodeOffApp             Code = "off_app"
	CodeBlocked            Code = "blocked"
	CodeFileDenied         Code = "file_denied"
	CodeFileUnusable       Code = "file_unusable"
	CodeQuotaExceeded      Code = "quota_exceeded"
	CodeStorageInvalid     Code = "storage_invalid"
	CodeHeld               Code = "held"
)

// Codes of recordings.
const (
	CodeArchiveUnusable  Code = "archive_unusable"
	CodeRecordingUnknown Code = "recording_unknown"
	CodeRecordingLimit   Code = "recording_limit"
	CodeRecordingInvalid Code = "recording_invalid"
)

// Codes of a host's API.
const (
	CodeSandboxUnknown     Code = "sandbox_unknown"
	CodeSandboxNotReady    Code = "sandbox_not_ready"
	CodeSandboxExpiring    Code = "sandbox_expiring"
	CodeBrowserExists      Code = "browser_exists"
	CodeBrowserNotRunning  Code = "browser_not_running"
	CodeBrowserStopped     Code = "browser_stopped"
	CodeModeUnknown        Code = "mode_unknown"
	CodeModeUnavailable    Code = "mode_unavailable"
	CodeCapabilityUnknown  Code = "capability_unknown"
	CodeBackendUnavailable Code = "backend_unavailable"
	CodeExecutionDisabled  Code = "execution_disabled"
	CodePermissionDenied   Code = "permission_denied"
	CodeQuotaDenied        Code = "quota_denied"
	CodeSignInUnavailable  Code = "sign_in_unavailable"
)

// Codes of everywhere.
const (
	CodeTimeout   Code = "timeout"
	CodeCancelled Code = "cancelled"
	CodeStopping  Code = "stopping"
	CodeInternal  Code = "internal"
)

// CodeInfo documents one code.
type CodeInfo struct {
	Code    Code
	Meaning string // one sentence: when it happens
	Retry   bool   // true if the same call can succeed later with nothing changed
}

// Codes lists every code in the order of a session's life.
func Codes() []CodeInfo {
	return []CodeInfo{
		{CodeConfigInvalid, "A value of the launch config breaks its rule; every failure is listed on stderr.", false},
		{CodeConfigUnreadable, "The launch config could not be read from stdin or from its file.", false},
		{CodeConfigTimeout, "Stdin stayed open and no whole launch config arrived in time.", true},

		{CodeBinaryMissing, "The supervisor found no sidecar program under the name or path it was given.", false},
		{CodeBinaryUnusable, "The sidecar program exists and can't be executed by this user on this system.", false},
		{CodeSpawnFailed, "The operating system or the container engine refused to start the sidecar.", true},
		{CodeExitedBeforeReady, "The sidecar ended before it printed its ready line; its last stderr lines are in the hint.", false},
		{CodeReadyTimeout, "The sidecar printed no ready line within the time for a start.", true},
		{CodeReadyMalformed, "The sidecar's first line was not a ready line, so the program is probably another one.", false},
		{CodeVersionMismatch, "The sidecar is of another version than the supervisor was told to accept.", false},
		{CodeSidecarExited, "The sidecar is gone, so the browser can't be used any more.", false},
		{CodeSidecarHung, "The sidecar did not take or answer a command in time.", true},
		{CodeStopForced, "The sidecar did not stop in its budget and was killed.", false},
		{CodeLiveOff, "A ticket or a live URL was asked for and the launch config has no live view.", false},

		{CodeMessageMalformed, "A line between supervisor and sidecar was not the JSON object that its place calls for.", false},
		{CodeMessageTooLong, "A line between supervisor and sidecar was over its limit and was skipped.", false},
		{CodeCommandUnknown, "The sidecar does not know the command; the supervisor is probably newer.", false},

		{CodeBrowserMissing, "No Chromium was found, or the one that was named is not there.", false},
		{CodeBrowserUnsuitable, "The Chromium that was found is too old or lacks what this session asks for.", false},
		{CodeBrowserStartTimeout, "Chromium was started and did not answer in time.", true},
		{CodeBrowserUnguarded, "Chromium came up without a switch that a wall depends on, and was stopped again.", false},
		{CodeBrowserExited, "Chromium ended by itself.", true},
		{CodeSandboxUnavailable, "Chromium's own sandbox can't work here; the hint names the cure.", false},
		{CodeUserUnavailable, "There is no unprivileged user to run Chromium as.", false},
		{CodeWorkdirUnusable, "A directory of the session could not be made, entered or written.", false},
		{CodeListenFailed, "The sidecar could not listen on the host and port of its config.", false},
		{CodeEgressFailed, "The egress proxy, Chromium's only way out, could not be set up.", false},

		{CodeUnauthorized, "The bearer token is missing or wrong.", false},
		{CodeHostDenied, "The request's Host header is not one that this sidecar answers to.", false},
		{CodeOriginDenied, "The request carries an Origin that may not talk to this route.", false},
		{CodeTicketRefused, "A live-view ticket did not verify.", false},
		{CodeViewOnly, "The viewer has no valid control ticket, so it may only watch.", false},
		{CodeViewerLimit, "As many viewers are connected as the sidecar serves.", true},
		{CodeSessionLimit, "As many agent sessions are busy as the sidecar serves.", true},
		{CodeSessionUnknown, "The agent's session has ended or never was.", false},
		{CodeTooLarge, "A body, message or result is over its limit.", false},

		{CodeUnknownTool, "No tool of this name is offered in this session.", false},
		{CodeToolDenied, "The tool exists and is never offered here.", false},
		{CodeUnsupported, "This Chromium or this system can't do what was asked.", false},
		{CodeInvalidArguments, "An argument of the call breaks the tool's schema or a rule of the tool.", false},
		{CodeRefUnknown, "No snapshot of this page ever gave out this ref.", false},
		{CodeRefStale, "The ref's element is gone, or the page or browser it belonged to was replaced.", false},
		{CodeNotFound, "A selector or text matches nothing on the page.", true},
		{CodeAmbiguous, "A selector matches several elements where one is needed.", false},
		{CodeNotActionable, "The element stayed hidden, disabled, moving or covered for as long as the call waited.", true},
		{CodeTabUnknown, "There is no tab of this number.", false},
		{CodePageClosed, "The tab was closed while the call worked on it.", false},
		{CodePageCrashed, "The tab's renderer crashed; navigating gives it a new one.", true},
		{CodePageHung, "The page's main thread did not answer in time.", true},
		{CodeDialogOpen, "A dialog of the page is open and must be answered first.", false},
		{CodeChooserOpen, "A file chooser is open and must be answered first.", false},
		{CodeNoModal, "There is no dialog or file chooser to answer.", false},
		{CodeNavigationFailed, "The page could not be loaded; the message has the network's reason.", true},
		{CodeScriptFailed, "The agent's expression threw in the page.", false},
		{CodeVerificationFailed, "A verifying tool found the page to be otherwise.", true},
		{CodeOffApp, "The navigation would leave the app that this browser is pinned to, and was not made.", false},
		{CodeBlocked, "A connection was refused by the egress rules.", false},
		{CodeFileDenied, "The path lies outside of the session's directories.", false},
		{CodeFileUnusable, "The file is missing, not a regular file, or can't be read or written.", false},
		{CodeQuotaExceeded, "The session's output directory is full.", false},
		{CodeStorageInvalid, "A storage state has an entry of the wrong shape.", false},
		{CodeHeld, "A person drives this browser by hand and did not hand it back in time; nothing was done.", true},

		{CodeArchiveUnusable, "The file for recordings can't be made, opened or read, or is another kind of file.", false},
		{CodeRecordingUnknown, "There is no recording of this name, or it has ended.", false},
		{CodeRecordingLimit, "A batch, or the recording that it is for, is over its limit.", false},
		{CodeRecordingInvalid, "A batch of recorded events breaks a rule, so none of it was kept.", false},

		{CodeSandboxUnknown, "The caller has no sandbox of this id.", false},
		{CodeSandboxNotReady, "The sandbox is not ready, so there is no app to open.", true},
		{CodeSandboxExpiring, "The sandbox expires too soon for a browser to be worth its start.", false},
		{CodeBrowserExists, "The sandbox has a browser already, and may have one.", true},
		{CodeBrowserNotRunning, "The sandbox has no running browser with what was asked for.", true},
		{CodeBrowserStopped, "The browser that a run or a session belongs to has stopped; nothing was called.", false},
		{CodeModeUnknown, "A browser starts headless or headed, and in no other mode.", false},
		{CodeModeUnavailable, "The backend can't start a browser in this mode.", false},
		{CodeCapabilityUnknown, "There is no group of tools of this name.", false},
		{CodeBackendUnavailable, "The host has no backend that can run a browser.", false},
		{CodeExecutionDisabled, "The host's operator has switched execution off for this owner.", false},
		{CodePermissionDenied, "This person may not do that with this sandbox.", false},
		{CodeQuotaDenied, "The owner's quota does not allow it.", false},
		{CodeSignInUnavailable, "A saved sign-in was asked for, and there is none or it can't be read.", false},

		{CodeTimeout, "The call took longer than its limit.", true},
		{CodeCancelled, "The caller went away or cancelled.", true},
		{CodeStopping, "The browser is stopping; nothing was done.", false},
		{CodeInternal, "A defect of Pillion; the details are in the sidecar's log.", false},
	}
}
