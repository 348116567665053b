#!/bin/sh
# An agent's session by hand: a sidecar for the app on 127.0.0.1:8080, and curl.
#
#   curl.sh [CONFIG]     testdata/config/minimal.json unless given
set -eu
config=${1:-testdata/config/minimal.json}

# The sidecar says on its first line where it listens. It runs until it is told
# to stop.
"${SIDECAR:-bin/sidecar}" --config "$config" >ready.json &
sidecar=$!
trap 'kill $sidecar; wait $sidecar' EXIT
until grep -qs mcp_url ready.json; do kill -0 $sidecar; sleep 0.1; done
MCP=$(sed 's/.*"mcp_url":"\([^"]*\)".*/\1/' ready.json)
AUTH="Authorization: Bearer $(sed -n 's/.*"token": *"\([^"]*\)".*/\1/p' "$config")"

# initialize opens a session, whose id is in a header of the answer.
SESSION=$(curl -sS -D - -o initialize.json "$MCP" -H "$AUTH" -H 'Accept:' -d '{
  "jsonrpc": "2.0", "id": 1, "method": "initialize",
  "params": {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "curl", "version": "1"}}
}' | tr -d '\r' | sed -n 's/^Mcp-Session-Id: //p')
echo "initialize: $(cat initialize.json)"

# One message a request, one JSON body an answer; no Accept header is needed.
post() { curl -sS "$MCP" -H "$AUTH" -H "Mcp-Session-Id: $SESSION" -H 'Accept:' -d "$1"; }
tool() {
  echo "== $1 $2" >&2
  post '{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "'"$1"'", "arguments": '"$2"'}}' >answer.json
  cat answer.json && echo
}
# ref finds an element in the last answer, as a model does: by what its line says.
ref() { tr -d '\\' <answer.json | sed 's/- /\n/g' | sed -n "s/^$1.*\[ref=\([a-z0-9]*\)\].*/\1/p" | head -n 1; }

post '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
echo "tools: $(post '{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}' | grep -o '"name":"browser_[a-z_]*"' | tr '\n' ' ')"

tool browser_navigate '{"url": "/"}'
tool browser_click '{"target": "'"$(ref 'link "Sign in"')"'"}'
tool browser_snapshot '{}'
user=$(ref 'textbox "User name"') password=$(ref 'textbox "Password"') button=$(ref 'button "Sign in"')
tool browser_type '{"target": "'"$user"'", "text": "ada"}'
tool browser_type '{"target": "'"$password"'", "text": "correct horse"}'
tool browser_click '{"target": "'"$button"'"}'
tool browser_take_screenshot '{}' | cut -c 1-500
