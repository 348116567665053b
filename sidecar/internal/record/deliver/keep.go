package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/pillion-browser/pillion/proto"
)

// keeper stands where the ingest would, and answers as one.
type keeper struct {
	keep func(ctx context.Context, name string, events []json.RawMessage) error
	id   string // of the recording
}

func (k keeper) post(ctx context.Context, number int, events batch, _ bool) answer {
	list := make([]json.RawMessage, len(events))
	for i, it := range events {
		list[i] = it.JSON
	}
	switch err := k.keep(ctx, k.id+"-"+strconv.Itoa(number), list); {
	case err == nil:
		return answer{status: http.StatusCreated}
	case errors.Is(err, proto.CodeRecordingLimit):
		return answer{status: http.StatusRequestEntityTooLarge, code: codeFull, err: err}
	default:
		return answer{err: err} // as an ingest that is away: the disk may have room again
	}
}
