package tools

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/browser"
	"github.com/pillion-browser/pillion/sidecar/internal/tools/files"
)

// maxLog bounds one console log; the next lines begin another.
const maxLog = 4 << 20

// consoleLog is the file that a tab's console is written to, one line a message,
// when an answer tells of new ones.
type consoleLog struct {
	file  string // its link; empty before the first message
	lines int
	last  int // number of the newest message in it
	start time.Time
}

// toldLog is up to where a session was told of a console log.
type toldLog struct {
	file  string
	lines int
}

// consoleNews writes the tab's new messages to its log and words where they are;
// empty when this session knows all of them.
func (s *Set) consoleNews(tab *browser.Tab) string {
	log := s.kit.writeConsole(tab)
	s.mu.Lock()
	defer s.mu.Unlock()
	told := s.told[tab]
	if told.file != log.file {
		told = toldLog{file: log.file}
	}
	from := told.lines + 1
	if log.file == "" || from > log.lines {
		return ""
	}
	s.told[tab] = toldLog{log.file, log.lines}
	lines := fmt.Sprintf("L%d", from)
	if from < log.lines {
		lines += fmt.Sprintf("-L%d", log.lines)
	}
	return fmt.Sprintf("- New console entries: %s#%s", log.file, lines)
}

// writeConsole brings a tab's console log up to date.
func (k *Kit) writeConsole(tab *browser.Tab) consoleLog {
	messages := tab.Messages(true)
	k.mu.Lock()
	defer k.mu.Unlock()
	log := k.logs[tab]
	if log == nil {
		log = &consoleLog{start: time.Now()}
		k.logs[tab] = log
	}
	var b strings.Builder
	n, last := 0, log.last
	for _, m := range messages {
		if m.N <= log.last {
			continue
		}
		if n == 0 && log.lines == 0 {
			log.start = m.Time
		}
		ms := m.Time.Sub(log.start).Milliseconds()
		fmt.Fprintf(&b, "[%8dms] [%s] %s", ms, strings.ToUpper(m.Type), oneLine(m.Text))
		if !m.PageError {
			fmt.Fprintf(&b, " @ %s:%d", oneLine(m.URL), m.Line)
		}
		b.WriteByte('\n')
		last = m.N
		n++
	}
	if n == 0 {
		return *log
	}
	if err := k.appendConsole(log, b.String()); err != nil {
		k.opts.Log.Warn("a console log could not be written", "error", err)
		return *log
	}
	log.lines += n
	log.last = last
	return *log
}

// appendConsole adds text to a log, in a new file when there is none or it is
// full or gone.
func (k *Kit) appendConsole(log *consoleLog, text string) error {
	if log.file != "" {
		err := k.opts.Files.Append(log.file, []byte(text), maxLog)
		var full *files.TooLargeError
		if err == nil || !errors.As(err, &full) && !isMissing(err) {
			return err
		}
	}
	saved, err := k.opts.Files.Keep(files.Stamped("console", "log"), []byte(text))
	if err != nil {
		return err
	}
	log.file, log.lines = saved.Link, 0
	return nil
}
