package supervisor

import (
	"context"
	"time"
)

const (
	// markVariable is the environment variable by which a sidecar is known to be a
	// host's.
	markVariable = "PILLION_HOST"

	// sweepEvery is the pause between looks at processes that were told to end.
	sweepEvery = 20 * time.Millisecond
)

// Sweep implements [Sweeper]: the sidecars of a host of the same Name that has died
// are terminated, and killed when they have not ended within the time that a stop
// takes. Such a sidecar ends by itself when its lifeline does; this is for one that
// hangs, and returns when the last is gone, so that a sandbox never has an old
// browser beside a new one.
func (r *ExecRunner) Sweep(ctx context.Context) error {
	if r.Name == "" {
		return nil
	}
	return sweep(ctx, r.Name, DefaultStopGrace)
}
