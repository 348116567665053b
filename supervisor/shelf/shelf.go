package shelf

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/archive"
	"github.com/pillion-browser/pillion/proto/replay"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
	"github.com/pillion-browser/pillion/supervisor/recordings"
)

// Shelf is a host's [hostapi.Recordings]. Make it with [New].
type Shelf struct {
	store  *recordings.Store
	ingest string
}

// New makes one of a store. ingest is the URL under which the store's Ingest
// is served, as sidecars reach it.
func New(store *recordings.Store, ingest string) *Shelf {
	return &Shelf{store: store, ingest: ingest}
}

var (
	_ hostapi.Recordings = (*Shelf)(nil)
	_ hostapi.FilmKeeper = (*Shelf)(nil)
)

// ownerBytes are as many of an owner's digest as nobody finds a second owner for.
const ownerBytes = 16

// of is how the names of an owner's recordings begin.
func of(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(sum[:ownerBytes]) + "-"
}

// ID is the name of a session's recording.
func ID(owner, session string) string { return of(owner) + session }

// Open implements [hostapi.Recordings].
func (s *Shelf) Open(ctx context.Context, sandbox hostapi.Sandbox, session string) (*proto.Recording, error) {
	in, err := s.store.Begin(ctx, recordings.About{
		ID: ID(sandbox.Owner, session), Title: cmp.Or(sandbox.Title, sandbox.ID), App: sandbox.AppURL,
		Expires: sandbox.ExpiresAt, Actions: true,
	})
	if err != nil {
		return nil, err
	}
	return in.Launch(s.ingest), nil
}

// FilmsDir implements [hostapi.FilmKeeper].
func (s *Shelf) FilmsDir(sandbox hostapi.Sandbox, session string) string {
	return s.store.FilmsDir(ID(sandbox.Owner, session))
}

// Complete implements [hostapi.Recordings].
func (s *Shelf) Complete(ctx context.Context, sandbox hostapi.Sandbox, session string) error {
	err := s.store.Finish(ctx, ID(sandbox.Owner, session))
	if errors.Is(err, proto.CodeRecordingUnknown) { // it was never opened, or has been removed
		return nil
	}
	return err
}

// List gives an owner's recordings, the newest first.
func (s *Shelf) List(ctx context.Context, owner string) ([]archive.Recording, error) {
	return s.store.ListOf(ctx, of(owner))
}

// Identifier says who makes a request; a [hostapi.Host] is one.
type Identifier interface {
	Identify(r *http.Request) (hostapi.Identity, error)
}

// Handler shows people their recordings: the pages of [recordings.Store.Handler],
// for whoever identifier knows.
func (s *Shelf) Handler(identifier Identifier) http.Handler {
	pages := replay.Handler(ownSource{s}, nil)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := identifier.Identify(r)
		if err != nil {
			http.Error(w, "This host wants to know who you are.", http.StatusUnauthorized)
			return
		}
		pages.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), ownerKey{}, who.Owner)))
	})
}

// ownerKey is where a request's context has its owner.
type ownerKey struct{}

// ownSource is what the owner in a context may read.
type ownSource struct{ shelf *Shelf }

func (o ownSource) Recordings(ctx context.Context) ([]archive.Recording, error) {
	owner, _ := ctx.Value(ownerKey{}).(string)
	return o.shelf.List(ctx, owner)
}

func (o ownSource) Recording(ctx context.Context, id string) (archive.Recording, error) {
	if err := owned(ctx, id); err != nil {
		return archive.Recording{}, err
	}
	return o.shelf.store.Archive().Recording(ctx, id)
}

func (o ownSource) WriteTo(ctx context.Context, id string, w io.Writer) error {
	if err := owned(ctx, id); err != nil {
		return err
	}
	return o.shelf.store.Archive().WriteTo(ctx, id, w)
}

// owned answers for others' recordings as for those that don't exist.
func owned(ctx context.Context, id string) error {
	if owner, ok := ctx.Value(ownerKey{}).(string); ok && strings.HasPrefix(id, of(owner)) {
		return nil
	}
	return &proto.Error{Code: proto.CodeRecordingUnknown, Message: fmt.Sprintf("there is no recording %.80q", id)}
}
