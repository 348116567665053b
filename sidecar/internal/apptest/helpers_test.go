package apptest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSiteHasTwoNames(t *testing.T) {
	s := Start(t)
	for _, url := range []string{s.URL(), s.LocalhostURL(), "http://" + s.Host()} {
		if body := get(t, url+"/"); !strings.Contains(body, "<h1>Welcome</h1>") {
			t.Errorf("%s: %s", url, body)
		}
	}
	if s.Hits("/") != 3 {
		t.Errorf("%d hits", s.Hits("/"))
	}
}

func TestSnifferCountsAndAnswers(t *testing.T) {
	trap := Sniffer(t)
	trap.WantSilent(t)
	if body := get(t, trap.URL()+"x?secret"); !strings.Contains(body, Mark) {
		t.Errorf("answer: %s", body)
	}
	conn, err := net.Dial("tcp", trap.Addr())
	if err != nil {
		t.Fatal(err)
	}
	Await(t, "the bare connection to count", func() bool { return trap.Hits() == 2 })
	conn.Close()
	if trap.Bytes() == 0 || trap.Port() == 0 || !strings.Contains(strings.Join(trap.Seen(), "\n"), "GET /x?secret (Host "+trap.Addr()) {
		t.Errorf("bytes %d, seen %q", trap.Bytes(), trap.Seen())
	}
	if got := attempt(t, func(t testing.TB) { trap.WantSilent(t) }); len(got) != 1 || !strings.Contains(got[0], "/x?secret") {
		t.Errorf("complaints: %q", got)
	}
}

func TestUDPSnifferCountsAndAnswersSTUN(t *testing.T) {
	trap := UDPSniffer(t)
	conn, err := net.Dial("udp", trap.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request := append([]byte{0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42}, "transaction!"...)
	for _, packet := range [][]byte{[]byte("noise"), request} {
		if _, err := conn.Write(packet); err != nil {
			t.Fatal(err)
		}
	}
	conn.SetReadDeadline(time.Now().Add(Patience))
	b := make([]byte, 100)
	n, err := conn.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	own := conn.LocalAddr().(*net.UDPAddr)
	port := uint16(b[26])<<8 | uint16(b[27])
	if n != 32 || string(b[8:20]) != "transaction!" || int(port^0x2112) != own.Port || b[28]^0x21 != 127 {
		t.Errorf("answer % x", b[:n])
	}
	if trap.Hits() != 2 || trap.Bytes() != int64(len(request)+5) {
		t.Errorf("%d hits, %d bytes", trap.Hits(), trap.Bytes())
	}
}

func TestResolverDoesAsTold(t *testing.T) {
	r := NewResolver()
	r.Set(t, "flips.test", "93.184.216.34", "127.0.0.1, ::1")
	broken := errors.New("broken")
	r.Fail("broken.test", broken)
	for i, want := range []string{"[93.184.216.34]", "[127.0.0.1 ::1]", "[127.0.0.1 ::1]"} {
		if got, err := r.LookupNetIP(t.Context(), "ip", "FLIPS.test."); err != nil || fmt.Sprint(got) != want {
			t.Errorf("look-up %d: %v, %v", i, got, err)
		}
	}
	if got, _ := r.LookupNetIP(t.Context(), "ip6", "flips.test"); len(got) != 1 || got[0] != netip.IPv6Loopback() {
		t.Errorf("ip6: %v", got)
	}
	var dns *net.DNSError
	if _, err := r.LookupNetIP(t.Context(), "ip", "unknown.test"); !errors.As(err, &dns) || !dns.IsNotFound {
		t.Errorf("unknown: %v", err)
	}
	if _, err := r.LookupNetIP(t.Context(), "ip", "broken.test"); err != broken {
		t.Errorf("broken: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.LookupNetIP(ctx, "ip", "flips.test"); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	if r.Lookups("flips.test") != 4 || r.Names()[0] != "FLIPS.test." {
		t.Errorf("%d look-ups: %q", r.Lookups("flips.test"), r.Names())
	}
}

// post sends a batch; zip false sends it as it is.
func post(t *testing.T, i *Ingest, body string, zip bool, header ...string) (int, string) {
	t.Helper()
	var b bytes.Buffer
	if zip {
		z := gzip.NewWriter(&b)
		io.WriteString(z, body)
		z.Close()
	} else {
		b.WriteString(body)
	}
	req, _ := http.NewRequest("POST", i.URL(), &b)
	req.Header.Set("Authorization", "Bearer "+IngestToken)
	if zip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	for n := 0; n < len(header); n += 2 {
		req.Header.Set(header[n], header[n+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(answer)
}

func TestIngestTakesWholeBatchesOrNothing(t *testing.T) {
	now := time.Now().UnixMilli()
	batch := func(events string) string { return fmt.Sprintf(`{"sent_at":%d,"recording_events":[%s]}`, now, events) }
	at := func(ms int64) string { return fmt.Sprintf(`{"kind":"marker","timestamp":%d,"data":{"label":"x"}}`, ms) }
	for _, c := range []struct {
		name, body string
		zip        bool
		status     int
		header     []string
	}{
		{"good", batch(at(now) + `,{"kind":"console","timestamp":` + fmt.Sprint(now) + `,"data":{}},{"kind":"rrweb","data":{}}`), true, 201, nil},
		{"good in plain", batch(at(now)), false, 201, nil},
		{"ISO time", `{"sent_at":"2026-11-30T00:00:00.000Z","recording_events":[{"kind":"rrweb"}]}`, true, 201, nil},
		{"a day old", batch(at(now - 86_400_000)), true, 201, nil},
		{"older", batch(at(now - 86_401_000)), true, 422, nil},
		{"from the future", batch(at(now + 61_000)), true, 422, nil},
		{"one bad among good", batch(at(now) + `,{"kind":"action","timestamp":1}`), true, 422, nil},
		{"no object", batch(at(now) + `,7`), true, 422, nil},
		{"empty", batch(""), true, 422, nil},
		{"no sent_at", `{"recording_events":[{"kind":"rrweb"}]}`, true, 422, nil},
		{"not JSON", "x", true, 422, nil},
		{"too deep", batch(strings.Repeat("[", 511) + strings.Repeat("]", 511)), true, 422, nil},
		{"brackets in text are no depth", batch(`{"kind":"rrweb","data":"` + strings.Repeat(`[\"`, 600) + `"}`), true, 201, nil},
		{"too big", batch(`{"kind":"rrweb","data":"` + strings.Repeat("x", 5000) + `"}`), true, 413, nil},
		{"no gzip", "x", false, 400, []string{"Content-Encoding", "gzip"}},
		{"brotli", "x", false, 415, []string{"Content-Encoding", "br"}},
		{"wrong token", batch(at(now)), true, 401, []string{"Authorization", "Bearer x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := NewIngest(t, 4096)
			status, answer := post(t, i, c.body, c.zip, c.header...)
			if status != c.status || len(i.Batches()) != 1 || (len(i.Events()) > 0) != (c.status == 201) || (len(i.Problems()) > 0) != (c.status != 201) {
				t.Errorf("status %d %s, events %v, problems %q", status, answer, i.Events(), i.Problems())
			}
			if c.status == 413 && !strings.Contains(answer, `"code":"recording_limit"`) {
				t.Errorf("answer %s", answer)
			}
		})
	}
}

func TestIngestAnswersAsScripted(t *testing.T) {
	i := NewIngest(t, 0)
	good := fmt.Sprintf(`{"sent_at":%d,"recording_events":[{"kind":"marker","data":{"label":"page_opened"}}]}`, time.Now().UnixMilli())
	i.Script(Reply{Status: 503, Header: map[string]string{"Retry-After": "1"}}, Reply{Reset: true}, Reply{Delay: 10 * time.Millisecond})
	for n, want := range []int{503, 0, 201, 201} {
		if status, answer := post(t, i, good, true); status != want {
			t.Errorf("answer %d: %d %s, want %d", n, status, answer, want)
		}
	}
	if e := i.Events(); len(e) != 2 || e[0].Label() != "page_opened" || len(i.Batches()) != 4 || len(i.Problems()) != 0 {
		t.Errorf("events %v, batches %d, problems %q", e, len(i.Batches()), i.Problems())
	}
}
