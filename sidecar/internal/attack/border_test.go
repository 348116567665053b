//go:build linux

package attack

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pillion-browser/pillion/sidecar/internal/apptest"
)

// sameAnswers: whatever is wrong with a token, and whatever it was for, a
// stranger is told the same.
func (e *scene) sameAnswers(t *testing.T) {
	answers := map[string][]string{}
	for _, token := range []string{
		"", "Bearer", "Bearer x", "Bearer " + apptest.Token[:10], "Bearer " + apptest.Token[:43], "Bearer " + apptest.Token + "x",
		"Bearer " + strings.ToUpper(apptest.Token), "Basic " + apptest.Token, strings.Repeat("Bearer x", 500),
	} {
		for _, target := range []string{"GET /health", "GET /nothing", "POST /mcp", "DELETE /mcp", "GET /storage-state", "GET /artifacts/page.png", "GET /live", "PUT /mcp", "GET /../etc/passwd"} {
			text := target + " HTTP/1.1\nHost: HOST\nContent-Length: 0\n"
			if token != "" {
				text += "Authorization: " + token + "\n"
			}
			status, header, body := e.raw(t, text+"\n")
			header.Del("Date")
			answer := fmt.Sprint(status, header, body)
			answers[answer] = append(answers[answer], target+" "+token)
		}
	}
	if len(answers) != 1 {
		for a, of := range answers {
			t.Errorf("%d got %s: %.100q", len(of), a, of)
		}
	}
}

// constantTime compares how long the refusal of a token takes that is wrong in
// its first and in its last byte. The medians of many are compared, and the bound
// is far above the noise of a loaded machine: what it finds is a comparison that
// ends early by doing something else, a look-up or a file.
func (e *scene) constantTime(t *testing.T) {
	early, late := "x"+apptest.Token[1:], apptest.Token[:len(apptest.Token)-1]+"x"
	times := map[string][]time.Duration{}
	conn := e.dial(t)
	br := bufio.NewReader(conn)
	const rounds = 300
	for range rounds {
		for _, token := range []string{early, late} {
			begin := time.Now()
			fmt.Fprintf(conn, "GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n", e.p.Ready.Port, token)
			resp, err := http.ReadResponse(br, nil)
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			times[token] = append(times[token], time.Since(begin))
		}
	}
	median := func(d []time.Duration) time.Duration { slices.Sort(d); return d[len(d)/2] }
	a, b := median(times[early]), median(times[late])
	if d := (a - b).Abs(); d > 5*time.Millisecond {
		t.Errorf("wrong at once takes %v, wrong at last %v", a, b)
	}
}

// slowLoris: strangers who send a byte now and then, and hold hundreds of
// connections, keep nobody out and are gone in seconds.
func (e *scene) slowLoris(t *testing.T) {
	if !full() {
		t.Skip("not run here: it waits for the time-outs; see make attack")
	}
	const strangers = 600
	var conns []net.Conn
	for range strangers {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", e.p.Ready.Port))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: ")
		conns = append(conns, conn)
	}
	stop := make(chan struct{})
	dribbled := make(chan struct{})
	go func() {
		defer close(dribbled)
		for {
			select {
			case <-stop:
				return
			case <-time.After(500 * time.Millisecond):
				for _, c := range conns {
					io.WriteString(c, "x")
				}
			}
		}
	}()
	begin := time.Now()
	c := e.client(t)
	for time.Since(begin) < 3*time.Second {
		asked := time.Now()
		c.List()
		if took := time.Since(asked); took > 2*time.Second {
			t.Errorf("an agent waited for %v", took)
		}
	}
	for i, conn := range conns {
		conn.SetReadDeadline(begin.Add(headerPatience))
		if _, err := io.Copy(io.Discard, conn); os.IsTimeout(err) {
			t.Fatalf("stranger %d is still there after %v", i, time.Since(begin))
		}
	}
	close(stop)
	<-dribbled
	// With the token, and a body that never ends: it holds one connection.
	slow := e.dial(t)
	io.WriteString(slow, e.spell(strings.Replace(strings.TrimSuffix(post, "BODY"), "LENGTH", "1000", 1)))
	c.List()
}

// headerPatience is longer than the 10 s that the head of a request gets.
const headerPatience = 20 * time.Second

// sessionsOfStrangers: without the token nobody opens a session, however often;
// and those who hold eight are not closed by it.
func (e *scene) sessionsOfStrangers(t *testing.T) {
	mine := e.client(t)
	for range 100 {
		if status, header, _ := e.raw(t, strings.Replace(post, "TOKEN", "SHORT", 1)); status != http.StatusUnauthorized || header.Get("Mcp-Session-Id") != "" {
			t.Fatalf("a stranger got %d %v", status, header)
		}
	}
	if len(mine.List()) == 0 {
		t.Error("the session is gone")
	}
}

// noise: bytes of any kind end one connection at most.
func (e *scene) noise(t *testing.T) {
	rounds := 300
	if full() {
		rounds = 3000
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	whole := []byte(e.spell(post))
	for range rounds {
		b := slices.Clone(whole)
		switch rnd.IntN(4) {
		case 0: // a few bytes changed
			for range 1 + rnd.IntN(8) {
				b[rnd.IntN(len(b))] = byte(rnd.IntN(256))
			}
		case 1: // cut
			b = b[:rnd.IntN(len(b))]
		case 2: // a piece twice
			i := rnd.IntN(len(b))
			b = append(b[:i:i], b[rnd.IntN(len(b)):]...)
		case 3: // nothing of ours
			b = make([]byte, rnd.IntN(4096))
			for i := range b {
				b[i] = byte(rnd.IntN(256))
			}
		}
		conn := e.dial(t)
		conn.Write(b)
		if rnd.IntN(2) == 0 {
			conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
			io.Copy(io.Discard, conn)
		}
		conn.Close()
	}
	e.stillServes(t)
	for line := range strings.Lines(e.p.Stderr()) {
		if strings.Contains(line, "panic") {
			t.Errorf("the log tells of %s", line)
		}
	}
}

// onlyLoopback: the sidecar and everything that it started listen on loopback
// alone, and Chromium on nothing.
func (e *scene) onlyLoopback(t *testing.T) {
	for _, name := range []string{"tcp", "tcp6"} {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", e.p.PID, name))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(b)) {
			fields := strings.Fields(line)
			if len(fields) > 3 && fields[3] == "0A" && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", e.p.Ready.Port)) && !strings.HasPrefix(fields[1], "0100007F:") {
				t.Errorf("it listens at %s", fields[1])
			}
		}
	}
	for _, pid := range familyWith(e.p.PID, "--user-data-dir") {
		line := commandLine(pid)
		for _, bad := range []string{"--remote-debugging-port", "--no-sandbox", "--disable-web-security", apptest.Token} {
			if strings.Contains(line, bad) {
				t.Errorf("process %d has %s", pid, bad)
			}
		}
	}
}
