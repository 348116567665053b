package proto_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pillion-browser/pillion/proto"
)

func TestStorageStateGolden(t *testing.T) {
	data, err := fullState().Answer()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "storage-state.json", append(data, '\n'))
	got, err := proto.DecodeStorageAnswer(readGolden(t, "storage-state.json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plainState(fullState()), plainState(got)); diff != "" {
		t.Error(diff)
	}
}

// plainState takes the formatters off, so that a difference can be seen.
func plainState(s proto.StorageState) any {
	data, _ := json.Marshal(s)
	var v any
	_ = json.Unmarshal(data, &v)
	return v
}

func TestStorageStateEncoding(t *testing.T) {
	for _, tt := range []struct {
		in   proto.StorageState
		want string
	}{
		{proto.StorageState{}, `{"cookies":[],"origins":[]}`},
		{proto.StorageState{Origins: []proto.OriginState{{Origin: "http://a.test"}}},
			`{"cookies":[],"origins":[{"origin":"http://a.test","localStorage":[]}]}`},
		{proto.StorageState{Cookies: []proto.Cookie{{Name: "n", Domain: "a.test", Expires: math.Inf(1), SameSite: "lax"}}},
			`{"cookies":[{"name":"n","value":"","domain":"a.test","path":"/","expires":-1,"httpOnly":false,"secure":false,"sameSite":"Lax"}],"origins":[]}`},
	} {
		if got, err := json.Marshal(tt.in); err != nil || string(got) != tt.want {
			t.Errorf("got %s, %v, want %s", got, err, tt.want)
		}
	}
	if answer, err := (proto.StorageState{}).Answer(); err != nil || string(answer) != `{"storage_state":{"cookies":[],"origins":[]}}` {
		t.Errorf("got %s, %v", answer, err)
	}
}

func TestDecodeStorageState(t *testing.T) {
	cookie := func(extra string) string {
		return `{"cookies":[{"name":"n","value":"v","domain":".a.test","path":"/p"` + extra + `}]}`
	}
	want := func(change func(*proto.Cookie)) proto.StorageState {
		c := proto.Cookie{Name: "n", Value: "v", Domain: ".a.test", Path: "/p", Expires: -1, SameSite: "Lax"}
		change(&c)
		return proto.StorageState{Cookies: []proto.Cookie{c}}
	}
	tests := []struct {
		text string
		want proto.StorageState
	}{
		{`{}`, proto.StorageState{}},
		{`{"cookies":null,"origins":null}`, proto.StorageState{}},
		{`{"cookies":[],"origins":[],"more":1}`, proto.StorageState{}},
		{cookie(``), want(func(*proto.Cookie) {})},
		{cookie(`,"path":""`), want(func(c *proto.Cookie) { c.Path = "/" })},
		{cookie(`,"expires":1e3,"secure":true,"httpOnly":true,"sameSite":"Strict","partitionKey":"x"`), want(func(c *proto.Cookie) {
			c.Expires, c.Secure, c.HTTPOnly, c.SameSite = 1000, true, true, "Strict"
		})},
		{cookie(`,"expires":"1000","secure":1,"httpOnly":"true","sameSite":"strict"`), want(func(*proto.Cookie) {})},
		{cookie(`,"expires":1e999,"sameSite":null`), want(func(*proto.Cookie) {})},
		{cookie(`,"expires":0`), want(func(c *proto.Cookie) { c.Expires = 0 })},
		{cookie(`,"Name":"N"`), want(func(*proto.Cookie) {})},
		{`{"origins":[{"origin":"x"},{"origin":"y","localStorage":[{"name":"","value":"","more":1}]}]}`, proto.StorageState{
			Origins: []proto.OriginState{{Origin: "x"}, {Origin: "y", LocalStorage: []proto.NameValue{{}}}},
		}},
	}
	for _, tt := range tests {
		got, err := proto.DecodeStorageState([]byte(tt.text))
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if diff := cmp.Diff(plainState(tt.want), plainState(got)); diff != "" {
			t.Errorf("%s: %s", tt.text, diff)
		}
	}
}

func TestDecodeStorageStateRefuses(t *testing.T) {
	for text, fragment := range map[string]string{
		"":                   "not JSON",
		"null":               "storage_state must be an object",
		"[]":                 "storage_state must be an object",
		`"x"`:                "storage_state must be an object",
		`{"cookies":{}}`:     "storage_state.cookies must be an array",
		`{"origins":"x"}`:    "storage_state.origins must be an array",
		`{"cookies":[1]}`:    "storage_state.cookies entry 1 ",
		`{"cookies":[null]}`: "storage_state.cookies entry 1 ",
		`{"cookies":[{"name":"a","value":"b","domain":"c","path":"d"},{"name":"a"}]}`: "storage_state.cookies entry 2 ",
		`{"cookies":[{"name":"a","value":1,"domain":"c","path":"d"}]}`:                "storage_state.cookies entry 1 ",
		`{"cookies":[{"name":"a","value":"SECRET","domain":"c","path":null}]}`:        "storage_state.cookies entry 1 ",
		`{"origins":[{}]}`: "storage_state.origins entry 1 ",
		`{"origins":[{"origin":"x","localStorage":{}}]}`:                                           "storage_state.origins entry 1 ",
		`{"origins":[{"origin":"x"},{"origin":"x","localStorage":[{"name":1,"value":"SECRET"}]}]}`: "storage_state.origins entry 2 ",
	} {
		_, err := proto.DecodeStorageState([]byte(text))
		wantCode(t, err, proto.CodeStorageInvalid)
		if err == nil || !strings.Contains(err.Error(), fragment) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v, want %q", text, err, fragment)
		}
	}
	for _, text := range []string{"", "[]", "{}", `{"storage_state":null}`, `{"storage_state":[]}`, `{"Storage_State":{}}`} {
		_, err := proto.DecodeStorageAnswer([]byte(text))
		wantCode(t, err, proto.CodeStorageInvalid)
	}
}

// What is kept is what the app's own page would be sent and could read.
func TestStorageStateFilter(t *testing.T) {
	tests := []struct {
		host, domain string
		kept         bool
	}{
		{"app.shop.test", "app.shop.test", true},
		{"app.shop.test", ".app.shop.test", true},
		{"app.shop.test", "APP.Shop.test", true},
		{"app.shop.test", ".shop.test", true},
		{"app.shop.test", "shop.test", true},
		{"app.shop.test", "test", false},  // no browser takes a cookie of
		{"app.shop.test", ".test", false}, // a whole top-level domain
		{"app.shop.test", "evilapp.shop.test", false},
		{"app.shop.test", "op.test", false},
		{"app.shop.test", "pp.shop.test", false},
		{"app.shop.test", "x.app.shop.test", false},
		{"app.shop.test", "other.shop.test", false},
		{"app.shop.test", "", false},
		{"app.shop.test", ".", false},
		{"app.shop.test", "..shop.test", false},
		{"app.shop.test", ".ads.example", false},
		{"localhost", "localhost", true},
		{"app.localhost", "localhost", false},
		{"127.0.0.1", "127.0.0.1", true},
		{"127.0.0.1", "0.0.1", false},
		{"127.0.0.1", ".0.1", false},
		{"[::1]", "[::1]", true},
		{"[::1]", "::1", true},
		{"[::ffff:1.2.3.4]", "2.3.4", false},
	}
	for _, tt := range tests {
		s := proto.StorageState{Cookies: []proto.Cookie{{Name: "n", Domain: tt.domain}}}
		if got := len(s.Filter(tt.host, "http://"+tt.host).Cookies) == 1; got != tt.kept {
			t.Errorf("a cookie of %q for %q: kept is %v", tt.domain, tt.host, got)
		}
	}

	s := proto.StorageState{Origins: []proto.OriginState{{Origin: "http://app.test:80"}, {Origin: "http://app.test"}, {Origin: "https://app.test"},
		{Origin: "http://app.test/"}, {Origin: "HTTP://app.test"}, {Origin: "http://x.app.test"}, {Origin: ""}}}
	got := s.Filter("app.test", "http://app.test")
	if len(got.Origins) != 1 || got.Origins[0].Origin != "http://app.test" || got.Cookies != nil {
		t.Errorf("kept %d origins", len(got.Origins))
	}
	if again := got.Filter("app.test", "http://app.test"); len(again.Origins) != 1 {
		t.Error("filtering twice is not filtering once")
	}
}

// The parent's cookie for an app on a port, as the config brings it.
func TestStorageStateInALaunch(t *testing.T) {
	l, _, err := decodeLaunch(t, with("app_url", "http://app.shop.test:8080/login", "storage_state", object{
		"cookies": []any{
			object{"name": "s", "value": "v", "domain": ".shop.test", "path": "/", "sameSite": "Weird"},
			object{"name": "ad", "value": "v", "domain": ".ads.example", "path": "/"},
		},
		"origins": []any{object{"origin": "http://app.shop.test"}, object{"origin": "http://app.shop.test:8080"}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := proto.StorageState{
		Cookies: []proto.Cookie{{Name: "s", Value: "v", Domain: ".shop.test", Path: "/", Expires: -1, SameSite: "Lax"}},
		Origins: []proto.OriginState{{Origin: "http://app.shop.test:8080"}},
	}
	if diff := cmp.Diff(plainState(want), plainState(l.StorageState)); diff != "" {
		t.Error(diff)
	}
}
