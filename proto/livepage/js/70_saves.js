// Files that the page has downloaded. Who drives may save them: they come part by
// part by the socket, and are put together here.
const saves = new Map();
let fetching = null; // the file that comes now

function saved(d) {
  if (d.state === 'completed') {
    if (saves.has(d.id)) return; // told again after the connection was lost
    keep(d);
  }
  const what = 'The page ' + { begun: 'downloads ', completed: 'has downloaded ', refused: 'may not download ', canceled: 'did not finish downloading ' }[d.state];
  note(what + d.name + (d.state === 'completed' ? ', ' + amount(d.size) : '') + (d.why ? ': ' + d.why : ''));
}
const amount = n => n < 1000 ? n + ' bytes' : n < 1e6 ? Math.round(n / 1e3) + ' kB' : Math.round(n / 1e6) + ' MB';

function keep(d) {
  const label = 'Save ' + d.name + ' (' + amount(d.size) + ')';
  const save = button(label, '', () => {
    fetching = { id: d.id, parts: [], at: 0 };
    put('toast', '');
    send({ type: 'fetch', id: d.id, at: 0 });
    paint();
  });
  saves.set(d.id, save);
  $('files').hidden = false;
  $('files-list').prepend(item(save));
  paint();
}

function part(m) {
  if (m.id !== fetching?.id || m.at !== fetching.at) return;
  const data = Uint8Array.from(atob(m.data), c => c.charCodeAt(0));
  fetching.parts.push(data);
  fetching.at += data.length;
  if (data.length > 0 && fetching.at < m.size) {
    put('files-progress', Math.floor(100 * fetching.at / m.size) + ' %');
    return send({ type: 'fetch', id: m.id, at: fetching.at });
  }
  // Of no type that a browser would show instead of saving it.
  const url = URL.createObjectURL(new Blob(fetching.parts, { type: 'application/octet-stream' }));
  unfetch();
  const link = document.createElement('a');
  link.href = url;
  link.download = m.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  note('Saved ' + m.name);
}

// unfetch gives up what comes.
function unfetch() {
  fetching = null;
  put('files-progress', '');
  paint();
}
