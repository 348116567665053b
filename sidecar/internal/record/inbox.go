package record

import "sync"

// maxInbox bounds what pages have sent and nobody has looked at yet, in bytes: a
// few of the largest snapshots.
const maxInbox = 64 << 20

// inbox is the work between those who must not wait and the one who works. Its
// order is the order of arrival.
type inbox struct {
	mu     sync.Mutex
	jobs   []job
	bytes  int
	closed bool
	ready  chan struct{}
}

type job struct {
	size int
	do   func()
}

func newInbox() *inbox { return &inbox{ready: make(chan struct{}, 1)} }

// push never waits. False: there is too much to do already, or nobody works any
// more. Work of no size, that of the sidecar itself, is always taken.
func (i *inbox) push(size int, do func()) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed || size > 0 && i.bytes+size > maxInbox && i.bytes > 0 {
		return false
	}
	i.bytes += size
	i.jobs = append(i.jobs, job{size, do})
	select {
	case i.ready <- struct{}{}:
	default:
	}
	return true
}

// pop takes the oldest job.
func (i *inbox) pop() (func(), bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.jobs) == 0 {
		i.jobs = nil
		return nil, false
	}
	j := i.jobs[0]
	i.jobs[0] = job{}
	i.jobs = i.jobs[1:]
	i.bytes -= j.size
	return j.do, true
}

func (i *inbox) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
}
