package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
)

// Times that an answer waits for downloads which its call began.
const (
	// downloadGrace lets small files be told as done; of others the agent hears
	// in a later answer.
	downloadGrace = time.Second
	// turnedGrace is for a document that was not shown: a download is told of by
	// then, or it was something else.
	turnedGrace = 200 * time.Millisecond
	// navigatedGrace is for a navigation that turned out to be a file: the file
	// is all that the agent asked for.
	navigatedGrace = 3 * time.Second
)

// awaitDownloads waits for the end of downloads that began during the call; with
// expect, also for one to begin.
func (c *call) awaitDownloads(ctx context.Context, grace time.Duration, expect bool) {
	b := c.kit.opts.Browser
	if !expect && b.LastDownload() == c.downloads {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	b.AwaitDownloads(ctx, c.downloads, expect)
}

// news is what happened beside the call: console entries, downloads, refusals.
func (s *Set) news(tab *browser.Tab) []string {
	var lines []string
	if tab != nil {
		if line := s.consoleNews(tab); line != "" {
			lines = append(lines, line)
		}
	}
	b := s.kit.opts.Browser
	s.mu.Lock()
	for _, d := range b.Downloads(s.downloads) {
		s.downloads = d.N
		lines = append(lines, downloadLine(d))
	}
	// Those that an acting call led to were its error; these came by themselves.
	var origins []string
	now := b.Mark()
	for _, e := range b.EscapesSince(s.escapes, nil) {
		if !slices.Contains(origins, e.Origin) {
			origins = append(origins, e.Origin)
			lines = append(lines, "- "+shortLine(e.Refusal().String()))
		}
	}
	s.escapes = now
	s.mu.Unlock()
	k := s.kit
	k.mu.Lock()
	for _, r := range k.refuse {
		lines = append(lines, "- "+shortLine(r))
	}
	k.refuse = nil
	k.mu.Unlock()
	return lines
}

// maxFileName is what is shown of a name that a page proposes for a file.
const maxFileName = 120

func downloadLine(d browser.Download) string {
	name := clip(strings.ReplaceAll(oneLine(d.Name), `"`, "'"), maxFileName)
	if name == "" {
		name = "without a name"
	}
	switch d.State {
	case browser.DownloadBegun:
		return fmt.Sprintf("- Downloading file %s ...", name)
	case browser.DownloadStored:
		return fmt.Sprintf("- Downloaded file %s to %q (%s)", name, d.File, files.Bytes(d.Size))
	case browser.DownloadCanceled:
		return fmt.Sprintf("- Download of file %s broke off", name)
	default:
		return fmt.Sprintf("- Refused to download file %s: %s", name, shortLine(d.Why))
	}
}

// evicted tells of files that made room for one of the call's.
func (c *call) evicted(links []string) {
	if len(links) > 0 {
		c.events = append(c.events, fmt.Sprintf("- Removed the oldest files to make room: %s", clip(strings.Join(links, ", "), maxShort)))
	}
}
