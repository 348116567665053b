package app_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/pillion-browser/pillion/testdata/app"
)

func TestFrontPageKnowsWhoIsSignedIn(t *testing.T) {
	v := visit(t)
	_, _, body := v.get("/")
	wantText(t, body, "<h1>Welcome</h1>", `href="/login"`)
	v.signIn()
	_, _, body = v.get("/")
	wantText(t, body, "<h1>Orders</h1>", "Signed in as ada")
	_, at, body := v.get("/logout")
	if at != "/" {
		t.Errorf("sign-out leads to %s", at)
	}
	wantText(t, body, "<h1>Welcome</h1>")
}

func TestWrongPasswordShowsAnAlert(t *testing.T) {
	v := visit(t)
	for _, form := range []url.Values{
		{"user": {app.User}, "password": {"wrong"}},
		{"user": {"<b>eve</b>"}, "password": {app.Password}},
		{},
	} {
		resp, err := v.http.PostForm(v.base+"/login", form)
		if err != nil {
			t.Fatal(err)
		}
		status, _, body := v.read(resp)
		if status != http.StatusUnauthorized || strings.Contains(body, "<b>eve</b>") {
			t.Errorf("%v: status %d, body %s", form, status, body)
		}
		wantText(t, body, `<div role="alert">`)
		if len(resp.Cookies()) > 0 {
			t.Errorf("%v: a cookie was set", form)
		}
	}
}

func TestSignInLeadsBackAndNowhereElse(t *testing.T) {
	for _, c := range []struct{ next, want string }{
		{"/orders?sort=total", "/orders?sort=total"},
		{"//evil.test/", "/"},
		{`/\evil.test/`, "/"},
		{"http://evil.test/", "/"},
		{"", "/"},
	} {
		v := visit(t)
		resp, err := v.http.PostForm(v.base+"/login", url.Values{"user": {app.User}, "password": {app.Password}, "next": {c.next}})
		if err != nil {
			t.Fatal(err)
		}
		if _, at, _ := v.read(resp); at != c.want {
			t.Errorf("next %q leads to %s, want %s", c.next, at, c.want)
		}
	}
	v := visit(t)
	if _, at, _ := v.get("/orders?sort=total"); at != "/login?next=%2Forders%3Fsort%3Dtotal" {
		t.Errorf("a stranger is sent to %s", at)
	}
}

func TestOrdersTable(t *testing.T) {
	v := visit(t)
	v.signIn()
	for _, c := range []struct{ query, first, text string }{
		{"", ">1048</a>", "Page 1 of 5, 48 orders"},
		{"?sort=number&dir=asc", ">1001</a>", "Page 1 of 5"},
		{"?sort=number&dir=asc&page=2", ">1011</a>", "Page 2 of 5"},
		{"?sort=number&page=99", ">1041</a>", "Page 5 of 5"},
		{"?sort=nonsense&page=-1", ">1048</a>", `aria-sort="descending"`},
		{"?sort=customer", "<td>Amara Okafor</td>", `aria-sort="ascending"`},
		{"?q=tanaka", "<td>Keiko Tanaka</td>", "Page 1 of 1"},
		{"?q=%3Cscript%3E", "No order matches.", "&lt;script&gt;"},
	} {
		_, _, body := v.get("/orders" + c.query)
		_, rows, _ := strings.Cut(body, "<tbody>")
		first, _, _ := strings.Cut(rows, "</tr>")
		wantText(t, first, c.first)
		wantText(t, body, c.text)
	}
}

func TestPlacedOrderIsConfirmedAndEchoedSafely(t *testing.T) {
	v := visit(t)
	v.signIn()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for _, f := range [][2]string{
		{"customer", "Ada <script>alert(1)</script>"}, {"quantity", "3"}, {"extras", "card"}, {"extras", "seeds"}, {"notes", "two\nlines"},
	} {
		form.WriteField(f[0], f[1])
	}
	form.CreateFormFile("picture", "")
	file, _ := form.CreateFormFile("papers", "naïve.txt")
	file.Write([]byte("paper"))
	form.Close()

	resp, err := v.http.Post(v.base+"/orders", form.FormDataContentType(), &b)
	if err != nil {
		t.Fatal(err)
	}
	status, at, body := v.read(resp)
	if status != 200 || at != "/orders/1049" {
		t.Fatalf("status %d at %s", status, at)
	}
	sum := sha256.Sum256([]byte("paper"))
	wantText(t, body, "<h1>Order confirmed</h1>", "&lt;script&gt;", "<dd>card</dd>", "<dd>seeds</dd>",
		"naïve.txt, 5 bytes, "+hex.EncodeToString(sum[:]), "€ 73.50")
	if strings.Contains(body, "<script>alert") {
		t.Error("markup came back unescaped")
	}
	orders := v.app.Orders()
	if len(orders) != 1 || orders[0].Get("notes") != "two\nlines" || len(orders[0].All("extras")) != 2 || len(orders[0].Files) != 1 {
		t.Errorf("stored: %+v", orders)
	}
	if _, _, body := v.get("/"); !strings.Contains(body, ">1049</a>") {
		t.Error("the front page does not show the new order")
	}
}

func TestPlainFormNeedsNoSignIn(t *testing.T) {
	v := visit(t)
	resp, err := v.http.PostForm(v.base+"/form", url.Values{"customer": {"Bo"}, "extras": {"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	_, _, body := v.read(resp)
	wantText(t, body, "<h1>Order confirmed</h1>", "<dd>Bo</dd>")
	if status, _, _ := v.get("/form/9999"); status != 404 {
		t.Errorf("an order that is not there: status %d", status)
	}
}

func TestOrdersFromManyAtOnceGetNumbersOfTheirOwn(t *testing.T) {
	v := visit(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			resp, err := v.http.PostForm(v.base+"/form", url.Values{"customer": {fmt.Sprint(i)}})
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
		})
	}
	all.Wait()
	seen := map[int]bool{}
	for _, o := range v.app.Orders() {
		seen[o.Number] = true
	}
	if len(seen) != 20 {
		t.Errorf("%d distinct numbers for 20 orders", len(seen))
	}
}
