package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// firstStateless is the revision from which on there are no sessions: each
// request says by itself who sends it and which revision it follows.
const firstStateless = "2026-07-28"

// The headers by which a stateless request repeats what its body says.
const (
	versionHeader = "Mcp-Protocol-Version"
	methodHeader  = "Mcp-Method"
	nameHeader    = "Mcp-Name"
)

// revision is what a revision's name looks like. Anything else in the header has
// never meant a thing to this route, and still does not.
var revision = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)

// isStateless says whether a message follows a revision without sessions, by its
// header or, for a request, by its own _meta.
func isStateless(h http.Header, m message) bool {
	if v := h.Get(versionHeader); revision.MatchString(v) && v >= firstStateless {
		return true
	}
	var v string
	readString(meta(m.params)[sdk.MetaKeyProtocolVersion], &v)
	return v >= firstStateless
}

// meta is the _meta of a request's params; nil if there is none.
func meta(params json.RawMessage) map[string]json.RawMessage {
	return object(object(params)["_meta"])
}

// answerStateless answers a message of a revision without sessions.
func (g *Gateway) answerStateless(ctx context.Context, h http.Header, m message, out *stream) reply {
	if !m.request() {
		// Such clients cancel by closing the connection. Some say it as well.
		if m.method == methodCancelled {
			if key, ok := cancelledKey(m.params); ok {
				g.table.cancelStateless(key, errCancelled)
			}
		}
		return reply{status: http.StatusAccepted}
	}
	client, bad := checkStateless(h, m)
	if bad != nil {
		return bad.statelessReply(m.id)
	}
	switch m.method {
	case methodDiscover, methodListTools, methodCallTool:
	default:
		return errUnknownMethod.statelessReply(m.id)
	}
	for {
		s, bad := g.sessionOf(client)
		if bad != nil {
			return bad.reply(http.StatusServiceUnavailable, m.id)
		}
		c, err := g.table.begin(ctx, s, m, m.method != methodCallTool)
		switch {
		case errors.Is(err, errSessionClosed):
			continue // to make room, in this very moment: it gets another one
		case err != nil:
			return g.whileStopping(m)
		}
		defer g.table.end(s, c)
		if m.method == methodCallTool {
			return g.callTool(s, c, m.params, out)
		}
		return g.await(s, c, "", m.method, m.params)
	}
}

// sessionOf is the session that the requests of a stateless client share. It is
// opened by the first of them.
func (g *Gateway) sessionOf(client ClientInfo) (*session, *rpcError) {
	s, evicted, err := g.table.stateless(client)
	for _, old := range evicted {
		g.retire(old)
	}
	if err != nil {
		return nil, err
	}
	s.opening.Do(func() {
		opened := false
		defer func() {
			if !opened { // stopped, or a panic on its way up
				g.table.drop(s)
			}
		}()
		s.tools = g.opts.NewToolset(client)
		if opened = g.table.ready(s); !opened {
			s.tools.Close()
		}
	})
	return s, nil
}

// checkStateless checks what a stateless request says of itself, in its headers
// and in its _meta, and gives who sends it.
func checkStateless(h http.Header, m message) (ClientInfo, *rpcError) {
	meta := meta(m.params)
	var version string
	if !readString(meta[sdk.MetaKeyProtocolVersion], &version) {
		return ClientInfo{}, missingMeta(sdk.MetaKeyProtocolVersion)
	}
	if got := h.Get(versionHeader); got != version {
		return ClientInfo{}, headerMismatch(versionHeader, got, version)
	}
	if version < firstStateless || !slices.Contains(sdk.SupportedProtocolVersions(), version) {
		return ClientInfo{}, unsupportedVersion(version)
	}
	if got := h.Get(methodHeader); got != m.method {
		return ClientInfo{}, headerMismatch(methodHeader, got, m.method)
	}
	if m.method == methodCallTool {
		var name string
		readString(object(m.params)["name"], &name)
		if got := headerText(h.Get(nameHeader)); got != name {
			return ClientInfo{}, headerMismatch(nameHeader, got, name)
		}
	}
	if object(meta[sdk.MetaKeyClientCapabilities]) == nil {
		return ClientInfo{}, missingMeta(sdk.MetaKeyClientCapabilities)
	}
	var client ClientInfo
	if info := meta[sdk.MetaKeyClientInfo]; info != nil {
		fields := object(info)
		if !readString(fields["name"], &client.Name) {
			return ClientInfo{}, missingMeta(sdk.MetaKeyClientInfo)
		}
		readString(fields["version"], &client.Version)
	}
	return client, nil
}

// Around a header's value that is no plain ASCII text and so in base64.
const (
	base64Open  = "=?base64?"
	base64Close = "?="
)

// headerText is the text that a header carries.
func headerText(value string) string {
	inner, opened := strings.CutPrefix(value, base64Open)
	inner, closed := strings.CutSuffix(inner, base64Close)
	if !opened || !closed {
		return value
	}
	text, err := base64.StdEncoding.DecodeString(inner)
	if err != nil {
		return value
	}
	return string(text)
}

// listAge is for how long a client may keep the list of tools, which does not
// change while a browser lives: an hour, as long as most of them do.
const listAge = 60 * 60 * 1000 // milliseconds

// listScope keeps what one agent was answered from others: another browser may
// offer other tools at the same address.
const listScope = "private"

// discovered completes the SDK's answer to server/discover. No change of the list
// is promised, since none ever comes: there is nothing to subscribe to.
func discovered(res *sdk.DiscoverResult) {
	res.Capabilities = &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}
	res.Cacheable = sdk.Cacheable{TTLMs: listAge, CacheScope: listScope}
}

// complete says of a result that it is one: a stateless server may also ask back.
const complete = "complete"

// serverMeta is the _meta by which each stateless result says who answers.
func (g *Gateway) serverMeta() map[string]any {
	return map[string]any{sdk.MetaKeyServerInfo: map[string]string{"name": serverName, "version": g.opts.Version}}
}
