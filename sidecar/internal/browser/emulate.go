package browser

import (
	"context"
	"fmt"
	"slices"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"

	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
)

// Media is what a tab's pages are told of the medium they are shown on. An empty
// field is as it is.
type Media struct {
	Type          string // "screen" or "print"
	ColorScheme   string // "light" or "dark"
	ReducedMotion string // "reduce" or "no-preference"
	ForcedColors  string // "active" or "none"
	Contrast      string // "more" or "no-preference"
}

func (m Media) params() emulation.SetEmulatedMediaParams {
	// All of them each time: an empty value takes an earlier one back.
	return emulation.SetEmulatedMediaParams{Media: m.Type, Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: m.ColorScheme},
		{Name: "prefers-reduced-motion", Value: m.ReducedMotion},
		{Name: "forced-colors", Value: m.ForcedColors},
		{Name: "prefers-contrast", Value: m.Contrast},
	}}
}

// Media is what [Tab.EmulateMedia] has set.
func (t *Tab) Media() Media {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.media
}

// EmulateMedia sets the medium for the tab's pages, frames of other sites
// included, until it is set again.
func (t *Tab) EmulateMedia(ctx context.Context, m Media) error {
	t.b.mu.Lock()
	t.media = m
	t.b.mu.Unlock()
	sessions := []*cdp.Session{t.session}
	for _, f := range t.Frames() {
		if s := f.Session(); !slices.Contains(sessions, s) {
			sessions = append(sessions, s)
		}
	}
	for _, s := range sessions[1:] {
		emulate(s, m)
	}
	if _, err := pcdp.Call(ctx, t.session, emulation.SetEmulatedMedia, m.params()); err != nil {
		return fmt.Errorf("emulate the medium: %w", err)
	}
	return nil
}

// emulate tells a target without waiting. One that is going away needs no medium.
func emulate(s *cdp.Session, m Media) {
	if m != (Media{}) {
		cdp.Start(s, emulation.SetEmulatedMedia, m.params())
	}
}
