package chrome

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/janitor/proc"
)

// User is whom Chromium runs as: the sidecar's own user, or, when that is
// root, one that nothing else on the system is.
type User struct {
	UID, GID int
	// Dedicated says that this user is Chromium's alone.
	Dedicated bool

	hold *os.File
}

// Users that PickUser chooses from. Systemd gives the same range to its
// dynamic users: no distribution hands it out to people or packages, and it
// lies below 65536, so that containers have it too. The user needs no entry in
// the user database.
const (
	firstUID = 61184
	lastUID  = 65519
)

// Hold is the reservation of a dedicated user, nil when there is none. Whoever
// may kill processes by this user must keep it open until they are gone.
func (u *User) Hold() *os.File { return u.hold }

// Close gives the reservation back. It does nothing for the sidecar's own user.
func (u *User) Close() error {
	if u.hold == nil {
		return nil
	}
	return u.hold.Close()
}

// PickUser returns the user to run Chromium as: the caller's own, or for root
// a free one of the dedicated range, reserved until [User.Close]. The error is
// a *proto.Error with code user_unavailable.
func PickUser() (*User, error) {
	if os.Geteuid() != 0 {
		return &User{UID: os.Geteuid(), GID: os.Getegid()}, nil
	}
	busy, err := proc.Users()
	if err != nil {
		return nil, userUnavailable(err)
	}
	mapped, err := mappedUsers()
	if err != nil {
		return nil, userUnavailable(err)
	}
	const n = lastUID - firstUID + 1
	start := rand.IntN(n)
	for i := range n {
		uid := firstUID + (start+i)%n
		if busy[uid] || !mapped(uid) {
			continue
		}
		hold, err := reserveUser(uid)
		if errors.Is(err, errReserved) {
			continue
		}
		if err != nil {
			return nil, userUnavailable(err)
		}
		return &User{UID: uid, GID: uid, Dedicated: true, hold: hold}, nil
	}
	return nil, userUnavailable(fmt.Errorf("no user id from %d to %d is free and exists in this user namespace", firstUID, lastUID))
}

// errReserved says that another sidecar has the user.
var errReserved = errors.New("user id is reserved")

func userUnavailable(err error) *proto.Error {
	return &proto.Error{
		Code:    proto.CodeUserUnavailable,
		Message: "Chromium can't be given a user of its own: " + err.Error(),
		Hint:    "Start the sidecar as an ordinary user; Chromium's sandbox does not work for root",
	}
}

// parseIDMap reads a /proc/<pid>/uid_map or gid_map and returns whether an id
// exists in that namespace.
func parseIDMap(text string) (func(id int) bool, error) {
	type span struct{ first, count int64 }
	var spans []span
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, fmt.Errorf("malformed id map line %q", line)
		}
		first, err1 := strconv.ParseInt(fields[0], 10, 64)
		count, err2 := strconv.ParseInt(fields[2], 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("malformed id map line %q: %w", line, err)
		}
		spans = append(spans, span{first, count})
	}
	return func(id int) bool {
		for _, s := range spans {
			if d := int64(id) - s.first; d >= 0 && d < s.count {
				return true
			}
		}
		return false
	}, nil
}
