package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pillion-browser/pillion/proto"
)

const (
	// filmTimeout bounds the fetching of a part: a minute of film has some
	// megabytes, and a stopping sidecar waits for less.
	filmTimeout = 20 * time.Second
	// maxFilm is the largest part that is taken, in bytes; a sidecar makes none
	// that is larger.
	maxFilm = 64 << 20
	// filmsMode and filmMode keep films from everybody else.
	filmsMode, filmMode = 0o700, 0o600
)

// Film is a part of a tab's film that was fetched: an MP4 of a minute at most.
type Film struct {
	Path     string
	Tab      int // counted from 1
	From, To time.Time
	Bytes    int64
}

// Films returns the films that have been fetched so far, in the order in which
// they came to their end; all of them once the browser has ended. There are
// none without Supervisor.Films and the launch's Recording.Video.
func (b *Browser) Films() []Film {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.films)
}

// filmFetcher fetches a browser's films, one after the other, on its own
// goroutine: neither the sidecar's output nor a host waits for it.
type filmFetcher struct {
	dir    string
	token  proto.Secret
	log    *slog.Logger
	http   *http.Client
	fetch  context.Context // ends when nothing more can come
	cancel context.CancelFunc
	more   chan struct{} // has a token when queue or over may have changed

	mu    sync.Mutex
	queue []proto.Event
	over  bool // no more of them will be told
}

// newFilmFetcher makes one; nil where dir is "".
func newFilmFetcher(dir string, token proto.Secret, log *slog.Logger) *filmFetcher {
	if dir == "" {
		return nil
	}
	f := &filmFetcher{dir: dir, token: token, log: log, more: make(chan struct{}, 1)}
	f.fetch, f.cancel = context.WithCancel(context.Background())
	f.http = &http.Client{
		Timeout:       filmTimeout,
		Transport:     &http.Transport{DisableKeepAlives: true}, // past every proxy of the environment
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return f
}

// told takes an event of a film.
func (f *filmFetcher) told(e proto.Event) { f.change(func() { f.queue = append(f.queue, e) }) }

// close says that no more will be told. It may be called on nil.
func (f *filmFetcher) close() {
	if f != nil {
		f.change(func() { f.over = true })
	}
}

// giveUp ends what is being fetched. It may be called on nil.
func (f *filmFetcher) giveUp() {
	if f != nil {
		f.cancel()
	}
}

func (f *filmFetcher) change(how func()) {
	f.mu.Lock()
	how()
	f.mu.Unlock()
	select {
	case f.more <- struct{}{}:
	default:
	}
}

// next waits for a film; none is left when ok is false.
func (f *filmFetcher) next() (e proto.Event, ok bool) {
	for {
		f.mu.Lock()
		if len(f.queue) > 0 {
			e, f.queue = f.queue[0], f.queue[1:]
			f.mu.Unlock()
			return e, true
		}
		over := f.over
		f.mu.Unlock()
		if over {
			return e, false
		}
		<-f.more
	}
}

// fetchFilms fetches what is told until nothing more is.
func (b *Browser) fetchFilms() {
	defer b.filming.cancel()
	for {
		e, ok := b.filming.next()
		if !ok {
			return
		}
		film, err := b.fetchFilm(e)
		b.mu.Lock()
		if err == nil {
			b.films = append(b.films, film)
		} else {
			b.usage.FilmsLost++
		}
		b.mu.Unlock()
		if err != nil {
			b.log.Warn("a film was not fetched", "error", err)
		}
	}
}

// fetchFilm fetches the film that an event tells of.
func (b *Browser) fetchFilm(e proto.Event) (Film, error) {
	number := func(key string) int64 { n, _ := e.Detail[key].(float64); return int64(n) }
	name, _ := e.Detail["artifact"].(string)
	film := Film{
		Tab: int(number("tab")), From: time.UnixMilli(number("from")), To: time.UnixMilli(number("to")), Bytes: number("bytes"),
	}
	// The name becomes a file's: it may lead nowhere else.
	if !filepath.IsLocal(name) || strings.ContainsAny(name, `/\:`) || filepath.Ext(name) != ".mp4" {
		return film, fmt.Errorf("%.80q is no name of a film", name)
	}
	if film.Bytes < 1 || film.Bytes > maxFilm {
		return film, fmt.Errorf("%s has %d bytes", name, film.Bytes)
	}
	b.mu.Lock()
	port := b.port
	b.mu.Unlock()
	addr, err := b.process.HostAddr(dialable(b.launch.Host, port))
	if err == nil {
		from := url.URL{Scheme: "http", Host: addr, Path: "/artifacts/" + name}
		film.Path, err = b.filming.download(from.String(), name, film.Bytes)
	}
	return film, err
}

// download fetches size bytes into a file of the directory: whole or not at all.
func (f *filmFetcher) download(from, name string, size int64) (path string, err error) {
	req, err := http.NewRequestWithContext(f.fetch, http.MethodGet, from, nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+f.token.Reveal())
	res, err := f.http.Do(req)
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", name, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("fetch %s: the sidecar answered %s", name, res.Status)
	}
	if err := os.MkdirAll(f.dir, filmsMode); err != nil {
		return "", err
	}
	part, err := os.CreateTemp(f.dir, ".film-*.part") // with filmMode
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			os.Remove(part.Name())
		}
	}()
	n, err := io.Copy(part, io.LimitReader(res.Body, size+1))
	if err == nil && n != size {
		err = fmt.Errorf("it has %d bytes instead of %d", n, size)
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return "", fmt.Errorf("fetch %s: %w", name, err)
	}
	path, err = f.claim(name)
	if err == nil {
		err = os.Rename(part.Name(), path)
	}
	return path, err
}

// claim makes an empty file under a name that no other film has.
func (f *filmFetcher) claim(name string) (path string, err error) {
	bare := strings.TrimSuffix(name, ".mp4")
	for n := 2; ; n++ {
		path = filepath.Join(f.dir, name)
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filmMode)
		if err == nil {
			return path, file.Close()
		}
		if !errors.Is(err, os.ErrExist) {
			return "", err
		}
		name = bare + "-" + strconv.Itoa(n) + ".mp4"
	}
}
