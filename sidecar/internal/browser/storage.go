package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	pcdp "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"

	"github.com/pillion-browser/pillion/proto"
	"github.com/pillion-browser/pillion/sidecar/internal/cdp"
	"github.com/pillion-browser/pillion/sidecar/internal/policy"
)

// StorageState reads all cookies and the localStorage of origin. The caller
// limits it to what may leave.
func (b *Browser) StorageState(ctx context.Context, origin string) (proto.StorageState, error) {
	st := proto.StorageState{Cookies: []proto.Cookie{}, Origins: []proto.OriginState{}}
	res, err := pcdp.Call(ctx, b.conn.Root(), storage.GetCookies, storage.GetCookiesParams{})
	if err != nil {
		return st, fmt.Errorf("read the cookies: %w", err)
	}
	for _, c := range res.Cookies {
		st.Cookies = append(st.Cookies, cookieOut(c))
	}
	items, err := b.localStorage(ctx, origin, nil)
	if err != nil {
		return st, fmt.Errorf("read the localStorage: %w", err)
	}
	if len(items) > 0 {
		st.Origins = append(st.Origins, proto.OriginState{Origin: origin, LocalStorage: items})
	}
	return st, nil
}

// ApplyStorageState puts a saved sign-in into a fresh browser, before its first
// page is navigated.
func (b *Browser) ApplyStorageState(ctx context.Context, st proto.StorageState) error {
	if len(st.Cookies) > 0 {
		params := make([]*network.CookieParam, 0, len(st.Cookies))
		for _, c := range st.Cookies {
			params = append(params, cookieIn(c))
		}
		if _, err := pcdp.Call(ctx, b.conn.Root(), storage.SetCookies, storage.SetCookiesParams{Cookies: params}); err != nil {
			return fmt.Errorf("set the cookies: %w", err)
		}
	}
	for _, o := range st.Origins {
		if len(o.LocalStorage) == 0 {
			continue
		}
		if _, err := b.localStorage(ctx, o.Origin, o.LocalStorage); err != nil {
			return fmt.Errorf("set the localStorage: %w", err)
		}
	}
	return nil
}

func cookieOut(c *network.Cookie) proto.Cookie {
	out := proto.Cookie{
		Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Expires: c.Expires,
		HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: string(c.SameSite),
	}
	if c.Session {
		out.Expires = -1
	}
	if out.SameSite == "" {
		out.SameSite = "Lax"
	}
	return out
}

func cookieIn(c proto.Cookie) *network.CookieParam {
	p := &network.CookieParam{
		Name: c.Name, Value: c.Value, Path: c.Path, HTTPOnly: c.HTTPOnly, Secure: c.Secure,
		SameSite: network.CookieSameSite(c.SameSite),
	}
	if c.Expires > 0 {
		p.Expires = pcdp.TimeSinceEpoch(c.Expires)
	}
	// A leading dot makes a domain cookie; without one it is the host's alone,
	// which the protocol expresses by a URL.
	if strings.HasPrefix(c.Domain, ".") {
		p.Domain = c.Domain
	} else {
		scheme := "http"
		if c.Secure {
			scheme = "https"
		}
		p.URL = scheme + "://" + c.Domain + c.Path
	}
	return p
}

// localStorage writes items (nil: none) into the localStorage of origin and
// returns all of it: through an open document of that origin when it only
// reads, else through a page that nobody sees and that loads nothing from the
// network.
func (b *Browser) localStorage(ctx context.Context, origin string, set []proto.NameValue) ([]proto.NameValue, error) {
	if set == nil {
		for _, t := range b.Tabs() {
			if f := t.MainFrame(); !t.IsCrashed() && policy.OriginOf(f.URL()) == origin && t.Dialog() == nil {
				world, err := f.World(ctx)
				if err == nil {
					return callStorage(ctx, f.Session(), world, nil)
				}
			}
		}
	}
	return b.hiddenStorage(ctx, origin, set)
}

func callStorage(ctx context.Context, s *cdp.Session, world runtime.ExecutionContextID, set []proto.NameValue) ([]proto.NameValue, error) {
	arg, err := json.Marshal(map[string]any{"set": set})
	if err != nil {
		return nil, err
	}
	res, err := pcdp.Call(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: storageScript, ExecutionContextID: world, ReturnByValue: ptr(true),
		Arguments: []*runtime.CallArgument{{Value: arg}},
	})
	if err != nil {
		return nil, err
	}
	if res.ExceptionDetails != nil {
		return nil, Thrown(res.ExceptionDetails)
	}
	var items []proto.NameValue
	if err := json.Unmarshal(RemoteJSON(res.Result), &items); err != nil {
		return nil, fmt.Errorf("decode the localStorage: %w", err)
	}
	return items, nil
}
