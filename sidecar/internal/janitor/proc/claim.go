package proc

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Claim says which processes belong to one Chromium. Its zero fields select
// nothing.
type Claim struct {
	// Leader is the browser process, which leads a session of its own, and
	// LeaderStart its start time.
	Leader      int
	LeaderStart uint64
	// UID is whom the browser runs as. Processes of other users are never
	// selected.
	UID int
	// Dedicated says that nothing but this Chromium runs as UID.
	Dedicated bool
	// Profile is the absolute path of the browser's profile directory.
	Profile string
}

// huntEvery is how often Hunt looks again: a killed Chromium needs 30 to 1300
// ms to disappear, and one look costs about a millisecond.
const huntEvery = 15 * time.Millisecond

// Select returns the living processes of all that the claim covers. args gives
// the command line of a process; it is only asked when nothing else decides.
func (c Claim) Select(all []Process, args func(pid int) []string) []Process {
	session := c.Leader > 1
	for _, p := range all {
		if p.PID == c.Leader && p.Start != c.LeaderStart {
			session = false // the id was given out again
		}
	}
	self := os.Getpid()
	var mine []Process
	for _, p := range all {
		if p.PID <= 1 || p.PID == self || p.Zombie || p.UID != c.UID {
			continue
		}
		if session && p.Session == c.Leader || c.Dedicated && c.UID > 0 || c.names(args(p.PID)) {
			mine = append(mine, p)
		}
	}
	return mine
}

// names reports whether a command line is one of a process on our profile: the
// browser itself, or a crash handler, whose database lies in the profile.
// Chromium rewrites its command line with spaces in place of the bounds.
func (c Claim) names(args []string) bool {
	if !filepath.IsAbs(c.Profile) || len(c.Profile) < len("/profile-") {
		return false
	}
	line := " " + strings.Join(args, " ") + " "
	return strings.Contains(line, " --user-data-dir="+c.Profile+" ") ||
		strings.Contains(line, " --database="+c.Profile+string(filepath.Separator))
}

// Hunt kills what the claim covers, again and again, until nothing is left or
// ctx ends. It returns the processes that were left, nil when none were.
func (c Claim) Hunt(ctx context.Context) ([]Process, error) {
	for {
		all, err := List()
		if err != nil {
			return nil, err
		}
		left := c.Select(all, Args)
		if len(left) == 0 {
			return nil, nil
		}
		for _, p := range left {
			kill(p)
		}
		select {
		case <-ctx.Done():
			return left, nil
		case <-time.After(huntEvery):
		}
	}
}
