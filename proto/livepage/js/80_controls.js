// Buttons and the address.
async function drive() {
  if (control.mine) return send({ type: 'hand_back' });
  try {
    send({ type: 'take_control', ticket: await ticket('control') });
  } catch (e) {
    note(e.message);
  }
}
$('drive').onclick = $('request-drive').onclick = drive;

$('watch').onclick = () => {
  if (socket || timer) return stopWatching();
  wanted = true;
  tries = 0;
  connect();
};

$('address').onsubmit = e => {
  e.preventDefault();
  send({ type: 'open', url: $('url').value });
  keys.focus();
};
for (const id of ['back', 'forward', 'reload']) $(id).onclick = () => send({ type: id });

