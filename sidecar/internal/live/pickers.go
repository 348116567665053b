package live

import (
	"context"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/page"
)

// Times of looking for pickers. Chromium tells nobody that it opens one, so a look
// follows each press of a person, and the page may open one a moment later.
const (
	lateOpening = 150 * time.Millisecond
	// pickerEvery is how soon it is noticed that the page closed one by itself.
	pickerEvery = 300 * time.Millisecond
	// pickerLook is what a page gets to say what is open; one that is busy opens
	// nothing.
	pickerLook = time.Second
)

// pickers watches for what the tab on screen opens in windows of its own, while
// people press keys and buttons.
type pickers struct {
	hub  *Hub
	wake chan struct{}
	stop context.CancelFunc
	done chan struct{}

	// The rest is the stage's, under its lock.
	open *page.Picker // nil when none is
	id   int          // what viewers call it
	drop bool         // it is to be closed: nobody drives any more
}

// watchPickers begins to watch; stop ends it, and done is closed then.
func (s *Stage) watchPickers(h *Hub) {
	ctx, cancel := context.WithCancel(context.Background())
	s.pick = &pickers{hub: h, wake: make(chan struct{}, 1), stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(s.pick.done)
		s.followPickers(ctx)
	}()
}

// pressed has the watcher look soon.
func (p *pickers) pressed() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (s *Stage) followPickers(ctx context.Context) {
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		pressed := false
		select {
		case <-s.pick.wake:
			pressed = true
		case <-again.C:
		case <-ctx.Done():
			return
		}
		open := s.lookForPicker(ctx)
		switch {
		case open:
			again.Reset(pickerEvery)
		case pressed:
			again.Reset(lateOpening)
		default:
			again.Stop()
		}
	}
}

// lookForPicker tells viewers of a picker that opened or closed, and says whether
// one is open.
func (s *Stage) lookForPicker(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, pickerLook)
	defer cancel()
	s.mu.Lock()
	tab, was, drop := s.tab, s.pick.open, s.pick.drop
	s.pick.drop = false
	s.mu.Unlock()
	if drop && was != nil {
		_ = was.Close(ctx, page.Choice{}) // a page that is gone has closed it
	}
	if was == nil && !s.pick.hub.wantsPickers() {
		return false
	}
	var now *page.Picker
	if tab != nil && tab.Dialog() == nil {
		// A page that does not answer shows nothing.
		now, _ = page.OpenPicker(ctx, tab)
	}
	s.mu.Lock()
	changed := !now.Is(was)
	s.pick.open = now
	if changed {
		s.pick.id++
	}
	state := pickerState(s.pick.id, now)
	s.mu.Unlock()
	if changed {
		s.pick.hub.showPicker(state)
	}
	return now != nil
}

func pickerState(id int, p *page.Picker) *PickerState {
	if p == nil {
		return nil
	}
	return &PickerState{
		ID: id, Kind: p.Kind, Label: p.Label, Options: p.Options, Selected: p.Selected,
		Value: p.Value, Min: p.Min, Max: p.Max, Step: p.Step,
	}
}

// Pick answers the picker with that id; one that is closed meanwhile needs no
// answer.
func (s *Stage) Pick(ctx context.Context, id int, c page.Choice) error {
	s.mu.Lock()
	p := s.pick.open
	if s.pick.id != id {
		p = nil
	}
	s.mu.Unlock()
	if p == nil {
		return nil
	}
	defer s.pick.pressed()
	return p.Close(ctx, c)
}

// Copy is the text that is selected in the tab on screen.
func (s *Stage) Copy(ctx context.Context) (string, error) {
	t, err := s.shown()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, pickerLook)
	defer cancel()
	return page.Selection(ctx, t)
}

// newDownloads are what happened to downloads since the last time.
func (s *Stage) newDownloads() (news []DownloadState) {
	for _, d := range s.b.Downloads(s.downloads) {
		s.downloads = d.N
		news = append(news, DownloadState{
			ID: d.ID, Name: d.Name, State: string(d.State), Size: d.Size, Why: d.Why,
		})
	}
	return news
}
