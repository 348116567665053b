// The page of the live view. All files share this scope; 99 closes it.
(() => {
'use strict';
const $ = id => document.getElementById(id);
const { socket: socketPath, tickets: ticketPath, session } = document.body.dataset;
const screen = $('screen'), keys = $('keys'), pen = screen.getContext('2d');
const mac = /mac|iphone|ipad/i.test(navigator.platform);

// What is so now; the messages change it and paint() shows it.
let socket = null, wanted = true;
let control = { held: false, mine: false }, agent = { waiting: false };
const open = () => socket?.readyState === WebSocket.OPEN;
const send = message => { if (open()) socket.send(JSON.stringify(message)); };

// A host gives tickets. For debugging the page signs them as a host would, with
// the browser's token, which its reader puts behind the address.
const params = new URLSearchParams(location.hash.slice(1));
const token = params.get('token') ?? '';
const person = { sub: params.get('user') ?? 'debug', name: params.get('name') ?? 'Somebody at the debug page' };
const bytes = text => new TextEncoder().encode(text);
const base64 = data => btoa(String.fromCharCode(...new Uint8Array(data))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

async function mac256(key, message) {
  const k = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return crypto.subtle.sign('HMAC', k, message);
}

async function signed(mode) {
  const now = Math.floor(Date.now() / 1000);
  const claims = { v: 1, sid: session, sub: person.sub, name: person.name, mode, iat: now, exp: now + 30, jti: base64(crypto.getRandomValues(new Uint8Array(24))) };
  const payload = base64(bytes(JSON.stringify(claims)));
  const key = await mac256(bytes(token), bytes('activeagents/browser-live-ticket/v1'));
  return payload + '.' + base64(await mac256(key, bytes(payload)));
}

// Denied is a refusal that trying again does not change.
class Denied extends Error {}

async function ticket(mode) {
  if (!ticketPath) return signed(mode);
  const answer = await fetch(ticketPath, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ mode }) });
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) return body.ticket;
  const why = typeof body.error === 'string' ? body.error : body.error?.message ?? 'The host gives no ticket (' + answer.status + ').';
  throw answer.status >= 400 && answer.status < 500 ? new Denied(why) : new Error(why);
}

