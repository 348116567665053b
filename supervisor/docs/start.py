"""Starts a browser for an app, lets it open a page, and ends it.

    python3 start.py SIDECAR APP_URL
"""
import json
import secrets
import subprocess
import sys
import urllib.request

sidecar, app_url = sys.argv[1:]
token = "aabrw_" + secrets.token_hex(20)

# The config is the first line on standard input. With "lifeline" that stays
# open: its end, also by the death of this program, is the end of the browser.
browser = subprocess.Popen([sidecar], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
config = {"token": token, "app_url": app_url, "lifeline": True}
print(json.dumps(config), file=browser.stdin, flush=True)

# The first line on standard output says that it is ready. No line: it could not
# start, and its last line on standard error says why.
line = browser.stdout.readline()
if not line:
    sys.exit("the browser did not start, see above")
ready = json.loads(line)


def post(message, session=None):
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
    if session:
        headers["Mcp-Session-Id"] = session
    request = urllib.request.Request(ready["mcp_url"], json.dumps(message).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer), answer.headers.get("Mcp-Session-Id")


client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "start.py", "version": "1"}}
_, session = post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client})
call = {"name": "browser_navigate", "arguments": {"url": "/"}}
answer, _ = post({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}, session)
print(answer["result"]["content"][0]["text"])

# The end: close standard input, and read on, so that the browser can say its
# last words.
browser.stdin.close()
for event in map(json.loads, browser.stdout):
    print(event["type"], event.get("reason", ""))
sys.exit(browser.wait())
