package janitor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// recordName is the file in the profile that says whose session it is.
const recordName = ".pillion-owner"

// recordBytes bounds a record; ours have some 200.
const recordBytes = 4 << 10

// record names the sidecar that a session belongs to, its Chromium, and the
// session's other directories beside the profile.
type record struct {
	PID     int        `json:"pid"`
	Start   uint64     `json:"start"` // of the process, in ticks of the boot
	Boot    string     `json:"boot"`
	Browser browserRow `json:"browser"` // zero until it runs
	Uploads string     `json:"uploads"`
	Output  string     `json:"output"`
}

// ownRecord is this process's record.
func ownRecord(uploads, output string) record {
	r := record{PID: os.Getpid(), Boot: bootID(), Uploads: uploads, Output: output}
	if self, err := proc.Read(r.PID); err == nil {
		r.Start = self.Start
	}
	return r
}

// write puts the record into a profile, whole or not at all.
func (r record) write(profile string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write owner's record: %w", err)
	}
	root, err := os.OpenRoot(profile)
	if err != nil {
		return fmt.Errorf("write owner's record: %w", err)
	}
	defer root.Close()
	const fresh = recordName + ".new"
	// The directory may be Chromium's user's by now: what stands there already is
	// not opened, a pipe least of all.
	if err := root.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write owner's record: %w", err)
	}
	f, err := root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write owner's record: %w", err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write owner's record: %w", err)
	}
	if err := root.Rename(fresh, recordName); err != nil {
		return fmt.Errorf("write owner's record: %w", err)
	}
	return nil
}

// errRecord says that a directory is not ours to judge.
var errRecord = errors.New("there is no owner's record")

// readRecord reads the record in a profile. Its content is Chromium's to
// forge: names that are not ours make it no record.
func readRecord(profile *os.Root) (record, error) {
	// A pipe in its place must not keep us waiting, also one that comes meanwhile.
	f, err := profile.OpenFile(recordName, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return record{}, errRecord
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return record{}, errRecord
	}
	if info, err := profile.Lstat(recordName); err != nil || !info.Mode().IsRegular() {
		return record{}, errRecord // a link to somebody's file
	}
	text, err := io.ReadAll(io.LimitReader(f, recordBytes))
	if err != nil {
		return record{}, errRecord
	}
	return parseRecord(text)
}

func parseRecord(text []byte) (record, error) {
	var r record
	if err := json.Unmarshal(text, &r); err != nil || r.PID < 1 ||
		!isName(r.Uploads, uploadsPrefix) || !isName(r.Output, outputPrefix) {
		return record{}, errRecord
	}
	return r, nil
}

// alive reports whether the recorded sidecar runs. The lock decides before
// this; the record covers file systems whose locks are no good.
func (r record) alive() bool {
	if r.Boot != bootID() {
		return false // before the last boot, or on another machine
	}
	p, err := proc.Read(r.PID)
	return err == nil && p.Start == r.Start && !p.Zombie
}
