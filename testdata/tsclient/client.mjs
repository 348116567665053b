// An MCP client that is not ours: the official TypeScript SDK logs in to the
// sample app, orders, and reads the confirmation.
// Usage: node client.mjs MCP_URL, with the bearer token on stdin.
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const token = readFileSync(0, 'utf8').trim();
const transport = new StreamableHTTPClientTransport(new URL(process.argv[2]), {
  requestInit: { headers: { Authorization: `Bearer ${token}` } },
});
const client = new Client({ name: 'tsclient', version: '1.0.0' });
await client.connect(transport);

const { tools } = await client.listTools();
console.log('tools', tools.length);

async function call(name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  const text = result.content.filter((c) => c.type === 'text').map((c) => c.text).join('\n');
  if (result.isError) throw new Error(`${name}: ${text}`);
  return { text, result };
}

// refOf finds an element as a model would: by role and name in the snapshot.
function refOf(text, role, name) {
  const line = text.split('\n').find((l) => l.includes(`${role} "${name}"`) && l.includes('[ref='));
  if (!line) throw new Error(`no ${role} "${name}" in:\n${text}`);
  return line.match(/\[ref=([a-z0-9]+)\]/)[1];
}

let page = (await call('browser_navigate', { url: '/login' })).text;
await call('browser_type', { target: refOf(page, 'textbox', 'User name'), text: 'ada' });
await call('browser_type', { target: refOf(page, 'textbox', 'Password'), text: 'correct horse' });
page = (await call('browser_click', { target: refOf(page, 'button', 'Sign in') })).text;
console.log('signed in', /heading "Orders"/.test(page));
const shot = await call('browser_take_screenshot');
console.log('screenshot', shot.result.content.some((c) => c.type === 'image' && c.mimeType === 'image/png'));
const value = (await call('browser_evaluate', { function: '() => document.title' })).text;
console.log('evaluate', value.startsWith('### Result\n"'));
await transport.terminateSession();
await client.close();
console.log('done');
