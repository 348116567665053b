package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/pillion-browser/pillion/proto"
)

// answerBytes is the most that is read of an answer; a screenshot of a large
// page takes a few megabytes.
const answerBytes = 32 << 20

// mcp is a client of the host's way to a browser: one JSON message in a POST,
// the answer in its response. It holds no token of the browser's.
type mcp struct {
	url     string
	session string
	lastID  int
	http    *http.Client
}

func newMCP(url string) *mcp {
	// No proxy: the endpoint is the browser's own, whatever the environment says.
	return &mcp{url: url, http: &http.Client{Transport: &http.Transport{Proxy: nil}}}
}

func (m *mcp) close() { m.http.CloseIdleConnections() }

type rpcRequest struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int    `json:"id,omitempty"` // 0 = a notification
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

type rpcAnswer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// initialize opens a session and returns the server's name and version.
func (m *mcp) initialize(ctx context.Context) (string, error) {
	var result struct {
		ServerInfo struct{ Name, Version string } `json:"serverInfo"`
	}
	err := m.call(ctx, "initialize", map[string]any{
		"protocolVersion": "2025-06-18",
		"capabilities":    map[string]any{},
		"clientInfo":      map[string]any{"name": "pillion-host", "version": proto.Version},
	}, &result)
	if err != nil {
		return "", err
	}
	_, err = m.post(ctx, rpcRequest{JSONRPC: "2.0", Method: "notifications/initialized"})
	return result.ServerInfo.Name + " " + result.ServerInfo.Version, err
}

// tools returns the names of the tools.
func (m *mcp) tools(ctx context.Context) ([]string, error) {
	var result struct{ Tools []struct{ Name string } }
	if err := m.call(ctx, "tools/list", nil, &result); err != nil {
		return nil, err
	}
	var names []string
	for _, tool := range result.Tools {
		names = append(names, tool.Name)
	}
	return names, nil
}

// tool calls a tool; it returns its text and its first image. A tool's own
// error is an error.
func (m *mcp) tool(ctx context.Context, name string, args map[string]any) (text string, image []byte, err error) {
	var result struct {
		Content []struct {
			Type, Text string
			Data       []byte // base64 on the wire
		}
		IsError bool `json:"isError"`
	}
	if err := m.call(ctx, "tools/call", map[string]any{"name": name, "arguments": args}, &result); err != nil {
		return "", nil, err
	}
	for _, block := range result.Content {
		switch {
		case block.Type == "text":
			text += block.Text
		case block.Type == "image" && image == nil:
			image = block.Data
		}
	}
	if result.IsError {
		return text, nil, errors.New(strings.TrimPrefix(text, "### Error\n"))
	}
	return text, image, nil
}

// call makes a request and decodes its result.
func (m *mcp) call(ctx context.Context, method string, params, result any) error {
	m.lastID++
	body, err := m.post(ctx, rpcRequest{JSONRPC: "2.0", ID: m.lastID, Method: method, Params: params})
	if err != nil {
		return err
	}
	var answer rpcAnswer
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("read the answer to %s: %w", method, err)
	}
	if answer.Error != nil {
		return fmt.Errorf("%s: %s (%d)", method, answer.Error.Message, answer.Error.Code)
	}
	return json.Unmarshal(answer.Result, result)
}

// post sends one message and returns the body of the response.
func (m *mcp) post(ctx context.Context, message rpcRequest) ([]byte, error) {
	body, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if m.session != "" {
		request.Header.Set("Mcp-Session-Id", m.session)
	}
	response, err := m.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("send %s: %w", message.Method, err)
	}
	defer response.Body.Close()
	if id := response.Header.Get("Mcp-Session-Id"); id != "" {
		m.session = id
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerBytes))
	if err == nil && response.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s: %.300s", message.Method, response.Status, answer)
	}
	return answer, err
}
