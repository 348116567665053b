package recordings

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/proto/archive"
	"github.com/pillion-browser/pillion/proto/replay"
)

const (
	// tokenPrefix makes an ingest's token recognisable to secret scanners.
	tokenPrefix = "aarec_"
	tokenLength = 32 // characters of base58 after the prefix: 187 bits
	// tokenLife is the longest that a token holds, however long the sandbox does.
	tokenLife = 2 * time.Hour
)

// Options are a store's. The zero value is in order.
type Options struct {
	// MaxAge is how long a recording is kept from its end on; 0 = DefaultMaxAge,
	// KeepAll = for ever.
	MaxAge time.Duration
	// MaxBytes is how much the recordings may have together, compressed as they are
	// in the file, and their films; 0 = DefaultMaxBytes, KeepAll = no limit.
	MaxBytes int64
	// Films is a directory for the films of browsers, one below it for each
	// recording; "" = nothing is filmed.
	Films string

	Log *slog.Logger     // nil: nothing is logged
	Now func() time.Time // nil = time.Now
}

// Store keeps recordings in one file. Its methods may be called at any time and
// from anywhere. Make it with [Open].
type Store struct {
	archive *archive.Archive
	log     *slog.Logger
	now     func() time.Time

	maxAge   time.Duration
	maxBytes int64
	films    string
	pruning  sync.Mutex

	mu   sync.Mutex
	open map[string]intake // by recording
}

// intake is what a recording that is open takes.
type intake struct {
	token      proto.Secret
	until      time.Time
	batchBytes int
	actions    bool
}

// Open opens the file of recordings and makes it where there is none. Recordings
// that an earlier process left open end as interrupted: one process keeps a file.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	a, err := archive.Create(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := a.EndAll(ctx); err != nil {
		a.Close()
		return nil, err
	}
	s := &Store{archive: a, log: o.Log, now: o.Now, open: map[string]intake{}, films: o.Films}
	s.maxAge, s.maxBytes = cmp.Or(o.MaxAge, DefaultMaxAge), cmp.Or(o.MaxBytes, DefaultMaxBytes)
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.pruneAfter(ctx)
	return s, nil
}

// Close ends the use of the file. Recordings that are open take nothing more and
// are interrupted.
func (s *Store) Close() error {
	s.mu.Lock()
	clear(s.open)
	s.mu.Unlock()
	return s.archive.Close()
}

// About is what a recording begins with. The zero value is in order.
type About struct {
	// ID names the recording: letters, digits, "-" and "_", a hundred at most, and not
	// the name of another. "" = one that nobody can guess.
	ID      string
	Title   string    // for people, such as the sandbox's name
	App     string    // origin of the app
	Expires time.Time // of the sandbox: nothing is taken later; zero: two hours from now
	// Actions takes the agent's tool calls too, and has the sidecar send them.
	Actions    bool
	BatchBytes int   // most JSON of one batch; 0 = proto.DefaultBatchBytes
	MaxEvents  int   // of the recording; 0 = 100,000
	MaxBytes   int64 // of the recording's JSON; 0 = 100 MiB
}

// Intake is how a sidecar sends a recording.
type Intake struct {
	ID      string // of the recording
	Token   proto.Secret
	Expires time.Time // of the token
	about   About
	video   bool
}

// Begin makes a recording and lets its sidecar in.
func (s *Store) Begin(ctx context.Context, about About) (Intake, error) {
	about.BatchBytes = cmp.Or(about.BatchBytes, proto.DefaultBatchBytes)
	now := s.now()
	until := now.Add(tokenLife)
	if !about.Expires.IsZero() && about.Expires.Before(until) {
		until = about.Expires
	}
	if !nameable(about.ID) {
		return Intake{}, &proto.Error{Code: proto.CodeRecordingUnknown, Message: fmt.Sprintf("a recording can't be called %.120q", about.ID), Hint: "Use letters, digits, - and _"}
	}
	r, err := s.archive.Begin(ctx, archive.About{ID: about.ID, Title: about.Title, App: about.App, MaxEvents: about.MaxEvents, MaxBytes: about.MaxBytes}, now)
	if err != nil {
		return Intake{}, err
	}
	token := proto.RandomToken(tokenPrefix, tokenLength)
	s.mu.Lock()
	s.open[r.ID] = intake{token, until, about.BatchBytes, about.Actions}
	s.mu.Unlock()
	return Intake{ID: r.ID, Token: token, Expires: until, about: about, video: s.films != ""}, nil
}

// nameable says whether a recording can have a name, which is a part of its
// address; "" leaves it to the archive.
func nameable(id string) bool {
	strange := func(c rune) bool {
		return !(c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z')
	}
	return len(id) <= maxName && !strings.ContainsFunc(id, strange) && id != replay.Assets
}

// Launch is the recording's part of a launch config. ingest is the URL, as the
// sidecar reaches it, under which [Store.Ingest] is served.
func (i Intake) Launch(ingest string) *proto.Recording {
	return &proto.Recording{
		URL: strings.TrimSuffix(ingest, "/") + "/" + i.ID, Token: i.Token, BatchBytes: i.about.BatchBytes, Actions: i.about.Actions, Video: i.video,
	}
}

// Finish ends a recording: nothing more is taken. Call it when the browser has
// ended, and not before.
func (s *Store) Finish(ctx context.Context, id string) error {
	s.mu.Lock()
	delete(s.open, id)
	s.mu.Unlock()
	if err := s.archive.End(ctx, id, archive.Finished, s.now()); err != nil {
		return err
	}
	s.pruneAfter(ctx)
	return nil
}

// Remove deletes a recording.
func (s *Store) Remove(ctx context.Context, id string) error {
	s.mu.Lock()
	delete(s.open, id)
	s.mu.Unlock()
	if err := s.archive.Remove(ctx, id); err != nil {
		return err
	}
	s.pruning.Lock()
	defer s.pruning.Unlock()
	return s.sweepFilms(ctx)
}

// List gives all recordings without their events, the newest first.
func (s *Store) List(ctx context.Context) ([]archive.Recording, error) {
	return s.archive.Recordings(ctx)
}

// ListOf gives those whose name begins with a prefix, the newest first. It reads no
// others, so a host that begins names with their owner asks for one owner's.
func (s *Store) ListOf(ctx context.Context, prefix string) ([]archive.Recording, error) {
	return s.archive.RecordingsOf(ctx, prefix)
}

// Archive is the file, for whoever needs the events themselves.
func (s *Store) Archive() *archive.Archive { return s.archive }

// Handler shows the recordings to people. It does not ask who they are. Its routes,
// all of them to be read only:
//
//	GET /                     the list, as a page
//	GET /recordings.json      the same as JSON
//	GET /ID/                  a page that replays one
//	GET /ID/recording.json    what is known of it
//	GET /ID/events            its events, as JSON lines
//	GET /ID/export.html       all of it as one file
func (s *Store) Handler() http.Handler { return replay.Handler(s.archive, s.log) }

// admit finds what a recording takes; false for a token that opens nothing.
func (s *Store) admit(id, token string) (intake, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, ok := s.open[id]
	return in, ok && in.token.Matches(token) && s.now().Before(in.until)
}
