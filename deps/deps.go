package deps

import (
	_ "github.com/chromedp/cdproto"
	_ "github.com/chromedp/chromedp"
	_ "github.com/chromedp/chromedp/kb"
	_ "github.com/elazarl/goproxy"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/gorilla/websocket"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "github.com/modelcontextprotocol/go-sdk/jsonrpc"
	_ "github.com/nlnwa/whatwg-url/url"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "golang.org/x/sys/unix"
)
