package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/pillion-browser/pillion/proto"
)

const (
	// applicationID marks the file as an archive of recordings: "pill".
	applicationID = 0x70696c6c
	// format is the version of the tables.
	format = 1
	// busyTimeout is how long one process waits for another's write, in
	// milliseconds. A write takes one of them.
	busyTimeout = 5000
	// connections is how many may read at once, beside the one that writes.
	connections = 4
	// private is the mode of the file: a recording is nobody else's business.
	private = 0o600
)

const schema = `
CREATE TABLE recordings (
	id         TEXT PRIMARY KEY,
	title      TEXT NOT NULL,
	app        TEXT NOT NULL,
	started    INTEGER NOT NULL,
	ended      INTEGER NOT NULL DEFAULT 0,
	how        TEXT NOT NULL DEFAULT '',
	max_events INTEGER NOT NULL,
	max_bytes  INTEGER NOT NULL,
	events     INTEGER NOT NULL DEFAULT 0,
	bytes      INTEGER NOT NULL DEFAULT 0,
	stored     INTEGER NOT NULL DEFAULT 0,
	full       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE chunks (
	recording TEXT NOT NULL REFERENCES recordings (id) ON DELETE CASCADE,
	seq       INTEGER NOT NULL,
	batch     TEXT,
	events    INTEGER NOT NULL,
	bytes     INTEGER NOT NULL,
	data      BLOB NOT NULL,
	PRIMARY KEY (recording, seq),
	UNIQUE (recording, batch)
) STRICT;
`

// Archive is an open file of recordings. Its methods may be called at any time and
// from anywhere; another process may have the same file open.
type Archive struct {
	db   *sql.DB
	path string
}

// Create opens the archive at path and makes one, with its directory, where there
// is none. Close it in the end.
func Create(ctx context.Context, path string) (*Archive, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, unusable(path, err)
	}
	// Before the database makes it, with whatever mode the process gives to files.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, private)
	if err != nil {
		return nil, unusable(path, err)
	}
	if err := f.Close(); err != nil {
		return nil, unusable(path, err)
	}
	return open(ctx, path, true)
}

// Open opens an archive that is there.
func Open(ctx context.Context, path string) (*Archive, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unusable(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, unusable(path, errors.New("it is not a file"))
	}
	return open(ctx, path, false)
}

func open(ctx context.Context, path string, make bool) (*Archive, error) {
	source, err := dataSource(path)
	if err != nil {
		return nil, unusable(path, err)
	}
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, unusable(path, err)
	}
	db.SetMaxOpenConns(connections)
	a := &Archive{db: db, path: path}
	if err := a.prepare(ctx, make); err != nil {
		db.Close()
		return nil, unusable(path, err)
	}
	return a, nil
}

// dataSource names the file in the driver's words. The log beside the file makes
// readers and the writer independent; a commit is on disk when it returns.
func dataSource(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if abs = filepath.ToSlash(abs); !strings.HasPrefix(abs, "/") {
		abs = "/" + abs // a drive's letter
	}
	u := url.URL{Scheme: "file", Path: abs, RawQuery: url.Values{
		"mode":    {"rw"},
		"_txlock": {"immediate"},
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", busyTimeout), "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
			"trusted_schema(0)", // the file may come from elsewhere
		},
	}.Encode()}
	return u.String(), nil
}

var errNoArchive = errors.New("it is no archive of recordings")

// prepare checks that the file is ours, and makes the tables in an empty one.
func (a *Archive) prepare(ctx context.Context, make bool) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit this does nothing
	var id, version, tables int
	for pragma, into := range map[string]*int{"PRAGMA application_id": &id, "PRAGMA user_version": &version, "SELECT count(*) FROM sqlite_schema": &tables} {
		if err := tx.QueryRowContext(ctx, pragma).Scan(into); err != nil {
			return err
		}
	}
	switch {
	case id == applicationID && version == format:
		return nil
	case id == applicationID:
		return fmt.Errorf("it has format %d and this program knows %d", version, format)
	case !make || id != 0 || tables != 0:
		return errNoArchive
	}
	for _, statement := range []string{schema, fmt.Sprintf("PRAGMA application_id=%d", applicationID), fmt.Sprintf("PRAGMA user_version=%d", format)} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Close ends the use of the file; what was kept is in it, and in no other.
func (a *Archive) Close() error { return a.db.Close() }

// unusable says that a file can't be an archive here.
func unusable(path string, err error) error {
	var about *fs.PathError // repeats the path
	if errors.As(err, &about) {
		err = about.Err
	}
	return &proto.Error{
		Code: proto.CodeArchiveUnusable, Message: fmt.Sprintf("the recordings in %s can't be used: %v", path, err), Err: err,
		Hint: "Name a file that the sidecar or a host has recorded to, or one that is not there yet in a directory that can be written",
	}
}
