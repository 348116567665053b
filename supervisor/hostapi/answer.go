package hostapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/pillion-browser/pillion/proto"
)

// QuotaDenied is the refusal of a quota checker; Payload is what it said.
type QuotaDenied struct{ Payload any }

// Error implements error.
func (q *QuotaDenied) Error() string {
	return fmt.Sprintf("the quota does not allow it: %v", q.Payload)
}

// Is says that this is a [proto.CodeQuotaDenied].
func (q *QuotaDenied) Is(target error) bool { return target == proto.CodeQuotaDenied }

func refuse(code proto.Code, message string) error { return &proto.Error{Code: code, Message: message} }

func browserExists() error {
	return &proto.Error{
		Code:    proto.CodeBrowserExists,
		Message: "a browser of this sandbox is starting or running, and a sandbox has one at most",
		Hint:    "Stop that one first",
	}
}

func executionDisabled() error {
	return refuse(proto.CodeExecutionDisabled, "execution is switched off on this host")
}

// internal is for a failure of something that the host itself provides. Its
// cause is for the log.
func internal(doing string, err error) error {
	return &proto.Error{Code: proto.CodeInternal, Message: "the host failed to " + doing, Err: err}
}

// asError is err as an answer shows it. The text of an error that is not ours
// may hold anything, and stays in the log.
func asError(err error) *proto.Error {
	var e *proto.Error
	if errors.As(err, &e) {
		return e
	}
	return &proto.Error{Code: proto.CodeInternal, Message: "the host failed to answer", Err: err}
}

// statusOf is the HTTP status for a code.
func statusOf(code proto.Code) int {
	switch code {
	case proto.CodeUnauthorized:
		return http.StatusUnauthorized
	case proto.CodePermissionDenied, proto.CodeExecutionDisabled, proto.CodeOriginDenied:
		return http.StatusForbidden
	case proto.CodeSandboxUnknown:
		return http.StatusNotFound
	case proto.CodeBrowserNotRunning, proto.CodeLiveOff, proto.CodeSidecarExited:
		return http.StatusConflict
	case proto.CodeBrowserStopped:
		return http.StatusGone
	case proto.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case proto.CodeMessageMalformed:
		return http.StatusBadRequest
	case proto.CodeModeUnknown, proto.CodeModeUnavailable, proto.CodeCapabilityUnknown, proto.CodeInvalidArguments,
		proto.CodeSandboxNotReady, proto.CodeSandboxExpiring, proto.CodeBrowserExists, proto.CodeBackendUnavailable,
		proto.CodeSignInUnavailable, proto.CodeConfigInvalid,
		// What a machine lacks: the same start will be refused again.
		proto.CodeBinaryMissing, proto.CodeBinaryUnusable, proto.CodeVersionMismatch, proto.CodeBrowserMissing,
		proto.CodeBrowserUnsuitable, proto.CodeSandboxUnavailable, proto.CodeUserUnavailable:
		return http.StatusUnprocessableEntity
	case proto.CodeStopping:
		return http.StatusServiceUnavailable
	case proto.CodeSpawnFailed, proto.CodeExitedBeforeReady, proto.CodeReadyTimeout, proto.CodeReadyMalformed,
		proto.CodeBrowserStartTimeout, proto.CodeBrowserExited, proto.CodeBrowserUnguarded, proto.CodeWorkdirUnusable,
		proto.CodeListenFailed, proto.CodeEgressFailed, proto.CodeSidecarHung, proto.CodeCancelled:
		return http.StatusBadGateway
	default:
		return http.StatusInternalServerError
	}
}

// errorBody is every refusal's body but a quota's.
type errorBody struct {
	Error string     `json:"error"` // one sentence
	Code  proto.Code `json:"code"`
	Hint  string     `json:"hint,omitempty"` // what to do
}

// fail answers with an error.
func (h *Host) fail(w http.ResponseWriter, r *http.Request, err error) {
	var denied *QuotaDenied
	if errors.As(err, &denied) {
		payload := denied.Payload
		if text, ok := payload.(string); ok {
			payload = map[string]string{"error": text}
		}
		answer(w, http.StatusPaymentRequired, payload)
		return
	}
	e := asError(err)
	if e.Code == proto.CodeInternal {
		h.log.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err, "cause", e.Err)
	}
	answer(w, statusOf(e.Code), errorBody{e.Message, e.Code, e.Hint})
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, status int, value any) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil { // a quota's payload that is no JSON
		status = http.StatusInternalServerError
		body.Reset()
		body.WriteString(`{"error":"the host failed to answer","code":"internal"}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the client may be gone
}
