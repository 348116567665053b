//go:build unix

package hostapi_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/supervisor/hostapi"
)

const (
	stressSandboxes = 50
	stressClients   = 20
	stressRequests  = 100 // of each client
	fewRequests     = 20  // of each, in short mode
)

var errInjected = errors.New("injected")

// unlucky fails one time in ten.
func unlucky() error {
	if rand.IntN(10) == 0 {
		return errInjected
	}
	return nil
}

// shaky makes everything that the host brings fail now and then. What it is
// told it remembers, to be compared with what clients saw.
type shaky struct {
	*hostapi.MemorySandboxes
	journal hostapi.MemoryJournal

	mu   sync.Mutex
	told map[string][]int // minutes, by session
	ran  map[string]bool  // sessions that the journal was told to run
}

// shakyJournal is its journal.
type shakyJournal struct{ *shaky }

func (s *shaky) Sandbox(ctx context.Context, owner, id string) (hostapi.Sandbox, error) {
	if err := unlucky(); err != nil {
		return hostapi.Sandbox{}, err
	}
	return s.MemorySandboxes.Sandbox(ctx, owner, id)
}

func (s shakyJournal) Put(ctx context.Context, e hostapi.Entry) error {
	if err := unlucky(); err != nil {
		return err
	}
	if !e.StartedAt.IsZero() {
		s.mu.Lock()
		s.ran[e.Session] = true
		s.mu.Unlock()
	}
	return s.journal.Put(ctx, e)
}

func (s shakyJournal) Remove(ctx context.Context, session string) error {
	if err := unlucky(); err != nil {
		return err
	}
	return s.journal.Remove(ctx, session)
}

func (s shakyJournal) List(ctx context.Context) ([]hostapi.Entry, error) { return s.journal.List(ctx) }

func (s *shaky) Record(_ context.Context, u hostapi.Usage) error {
	if err := unlucky(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told[u.Session] = append(s.told[u.Session], u.Quantity)
	return nil
}

func (s *shaky) Open(context.Context, hostapi.Sandbox, string) (*proto.Recording, error) {
	return nil, unlucky()
}
func (s *shaky) Complete(context.Context, hostapi.Sandbox, string) error { return unlucky() }

// Many clients start, stop, look at, call and delete sandboxes' browsers at
// once, while every part of the host fails at random and browsers die as they
// like. No sandbox ever has two; the minutes of each that ran are told once;
// nothing is left (TestMain looks for processes and goroutines).
func TestStress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	parts := &shaky{MemorySandboxes: &hostapi.MemorySandboxes{}, told: map[string][]int{}, ran: map[string]bool{}}
	b := newBench(t, func(b *bench, o *hostapi.Options) {
		o.Supervisor = straySupervisor(dir)
		o.Sandboxes, o.Journal, o.Usage, o.Recordings, o.Clock = parts, shakyJournal{parts}, parts, parts, nil
	})
	put := func(i int) {
		parts.MemorySandboxes.Put(hostapi.Sandbox{ID: fmt.Sprint("s", i), Owner: owner, Ready: true, AppURL: fmt.Sprintf("http://127.0.0.1:%d", 4000+i)})
	}
	for i := range stressSandboxes {
		put(i)
	}

	requests := stressRequests
	if testing.Short() {
		requests = fewRequests
	}
	var mu sync.Mutex
	promised := map[string]bool{} // sessions that a client was told to run
	var clients sync.WaitGroup
	for range stressClients {
		clients.Go(func() {
			who := hostapi.Identity{Owner: owner, User: "7"}
			for range requests {
				i := rand.IntN(stressSandboxes)
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				id := fmt.Sprint("s", i)
				switch rand.IntN(10) {
				case 0, 1, 2, 3, 4:
					if rand.IntN(5) == 0 { // one who does not wait
						cancel()
					}
					if shown, err := b.host.Start(ctx, who, id, hostapi.StartOptions{}); err == nil && shown.ServerKey != nil {
						mu.Lock()
						promised[strings.TrimPrefix(*shown.ServerKey, "browser:")] = true
						mu.Unlock()
					}
				case 5, 6, 7:
					b.host.Stop(ctx, who, id)
				case 8:
					b.host.Reap(ctx)
				case 9:
					if err := b.host.DeleteSandbox(ctx, who, id); err == nil {
						put(i)
					}
				}
				cancel()
			}
		})
	}
	clients.Wait()
	if err := b.host.Close(); err != nil {
		t.Log("the first attempt to settle everything:", err)
	}
	settled := func() bool { return b.host.Reap(context.Background()) == nil }
	for deadline := time.Now().Add(patience); !settled(); {
		if time.Now().After(deadline) {
			t.Fatal("not everything can be settled")
		}
	}

	if clashes, _ := filepath.Glob(filepath.Join(dir, "*"+clashSuffix)); len(clashes) > 0 {
		text, _ := os.ReadFile(clashes[0])
		t.Errorf("%d times a sandbox had two browsers: %s", len(clashes), text)
	}
	for session := range promised {
		parts.ran[session] = true
	}
	for session := range parts.ran {
		if got := parts.told[session]; len(got) != 1 || got[0] != 1 {
			t.Errorf("session %s: told %v, want one minute once", session, got)
		}
	}
	for session, got := range parts.told {
		if len(got) != 1 {
			t.Errorf("session %s: told %v", session, got)
		}
	}
	if left, _ := parts.journal.List(context.Background()); len(left) > 0 {
		t.Errorf("the journal has %v", left)
	}
	if locks, _ := filepath.Glob(filepath.Join(dir, "*"+lockSuffix)); len(parts.told) == 0 || len(locks) == 0 {
		t.Error("nothing ran")
	} else {
		t.Logf("%d browsers ran in %d sandboxes, %d answered for", len(parts.told), len(locks), len(promised))
	}
}
