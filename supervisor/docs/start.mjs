// Starts a browser for an app, lets it open a page, and ends it.
//
//     node start.mjs SIDECAR APP_URL
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';

const [sidecar, appUrl] = process.argv.slice(2);
const token = `aabrw_${randomBytes(20).toString('hex')}`;

// The config is the first line on standard input. With "lifeline" that stays
// open: its end, also by the death of this program, is the end of the browser.
const browser = spawn(sidecar, [], { stdio: ['pipe', 'pipe', 'inherit'] });
const ended = new Promise((resolve) => { browser.on('exit', resolve); });
browser.stdin.write(`${JSON.stringify({ token, app_url: appUrl, lifeline: true })}\n`);

// The first line on standard output says that it is ready. No line: it could not
// start, and its last line on standard error says why.
const lines = createInterface({ input: browser.stdout })[Symbol.asyncIterator]();
const first = await lines.next();
if (first.done) {
  console.error('the browser did not start, see above');
  process.exit(1);
}
const ready = JSON.parse(first.value);

let session;
async function post(method, params) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  if (session) headers['Mcp-Session-Id'] = session;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(ready.mcp_url, { method: 'POST', headers, body });
  session ??= answer.headers.get('Mcp-Session-Id');
  return answer.json();
}

await post('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'start.mjs', version: '1' } });
const { result } = await post('tools/call', { name: 'browser_navigate', arguments: { url: '/' } });
console.log(result.content[0].text);

// The end: close standard input, and read on, so that the browser can say its
// last words.
browser.stdin.end();
for await (const line of { [Symbol.asyncIterator]: () => lines }) {
  const event = JSON.parse(line);
  console.log(event.type, event.reason ?? '');
}
process.exitCode = await ended;
