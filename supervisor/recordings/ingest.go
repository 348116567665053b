package recordings

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor/recordings/batch"
)

const (
	// readTimeout is what a batch may take to arrive: senders give up after 15 s.
	readTimeout = 20 * time.Second
	// slack is what gzip may add to a body that it can't make smaller.
	slack = 64 << 10
	// batchHeader names a batch, the same at each attempt to send it.
	batchHeader = "Pillion-Batch"
	// maxName bounds the names of recordings and batches.
	maxName = 100
)

// Ingest takes batches at POST /ID, by the rules of the package's documentation.
func (s *Store) Ingest() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{id}", s.take)
	return mux
}

func (s *Store) take(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	in, ok := s.admit(id, token)
	if !ok {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, http.StatusUnauthorized, &proto.Error{Code: proto.CodeUnauthorized, Message: "this token opens no recording"})
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, &proto.Error{Code: proto.CodeRecordingInvalid, Message: "batches are posted"})
		return
	}
	// A server that can't set a time has one of its own.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(readTimeout))
	received := s.now()
	body, status, err := inflate(w, r, in.batchBytes)
	if err != nil {
		refuse(w, status, err)
		return
	}
	b, err := batch.Parse(body, received, in.actions)
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, err)
		return
	}
	name := r.Header.Get(batchHeader)
	if len(name) > maxName {
		name = ""
	}
	// A sender that goes away now will send it again: it may as well be kept.
	switch err := s.archive.Append(context.WithoutCancel(r.Context()), id, name, b.Events); {
	case errors.Is(err, proto.CodeRecordingLimit):
		refuse(w, http.StatusRequestEntityTooLarge, err)
	case errors.Is(err, proto.CodeRecordingUnknown): // it ended in this moment
		refuse(w, http.StatusUnauthorized, &proto.Error{Code: proto.CodeUnauthorized, Message: "the recording is over"})
	case err != nil:
		s.log.Error("a batch could not be kept", "recording", id, "error", err)
		refuse(w, http.StatusInternalServerError, &proto.Error{Code: proto.CodeInternal, Message: "the batch could not be kept"})
	default:
		answer(w, http.StatusCreated, struct {
			Stored int   `json:"stored"`
			Offset int64 `json:"clock_offset_ms"`
		}{len(b.Events), b.Offset})
	}
}

// inflate reads a body of at most limit bytes, compressed or not.
func inflate(w http.ResponseWriter, r *http.Request, limit int) (body []byte, status int, err error) {
	var from io.Reader = http.MaxBytesReader(w, r.Body, int64(limit)+slack)
	switch strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))) {
	case "gzip":
		z, err := gzip.NewReader(from)
		if err != nil {
			return nil, http.StatusBadRequest, unfit("the body is not gzip as it claims")
		}
		from = z
	case "", "identity":
	default:
		return nil, http.StatusUnsupportedMediaType, unfit("the encoding is neither gzip nor identity")
	}
	var text bytes.Buffer
	_, err = io.Copy(&text, io.LimitReader(from, int64(limit)+1))
	var long *http.MaxBytesError
	switch {
	case text.Len() > limit || errors.As(err, &long):
		return nil, http.StatusRequestEntityTooLarge, &proto.Error{
			Code: proto.CodeRecordingLimit, Message: fmt.Sprintf("the batch has more than %d bytes of JSON", limit), Hint: "Send less at once",
		}
	case err != nil:
		return nil, http.StatusBadRequest, unfit("the body could not be read to its end")
	}
	return text.Bytes(), 0, nil
}

// refuse answers with an error. The sentence is under "error", where the
// original's ingest has it.
func refuse(w http.ResponseWriter, status int, err error) {
	said := struct {
		Error string     `json:"error"`
		Code  proto.Code `json:"code,omitempty"`
	}{err.Error(), proto.CodeOf(err)}
	if status == http.StatusUnauthorized {
		said.Code = "" // as the original
	}
	answer(w, status, said)
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func unfit(message string) error {
	return &proto.Error{Code: proto.CodeRecordingInvalid, Message: message}
}
