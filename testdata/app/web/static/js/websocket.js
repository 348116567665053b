const state = document.getElementById('state');
let socket;
function connect() {
  const to = new URL(`/ws${location.search}`, location.href);
  to.protocol = to.protocol.replace('http', 'ws');
  socket = new WebSocket(to);
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('open', () => { state.textContent = 'open'; note('open'); });
  socket.addEventListener('message', (event) => {
    note('message', typeof event.data === 'string' ? event.data : `${event.data.byteLength} bytes`);
  });
  socket.addEventListener('close', (event) => {
    state.textContent = 'closed';
    note('close', `${event.code} ${event.reason}`);
  });
}
document.getElementById('say').addEventListener('submit', (event) => {
  event.preventDefault();
  socket.send(document.getElementById('text').value);
});
document.getElementById('binary').addEventListener('click', () => socket.send(new Uint8Array([0, 1, 254, 255])));
document.getElementById('close').addEventListener('click', () => socket.close(1000, 'bye'));
document.getElementById('open').addEventListener('click', connect);
connect();
