// What is asked of a person: by the page, and by the agent. What a page asks is
// told to everybody, and answered by who drives.
let asked = null, picked = null, offered = null;

function ask(d) {
  asked = d;
  $('ask').close();
  if (!d) return;
  const text = d.kind === 'beforeunload' ? 'Leave this page? What was entered may be lost.' : d.message;
  if (!control.mine) return note('The page asks: ' + text);
  $('ask-text').textContent = text;
  $('ask-value').hidden = d.kind !== 'prompt';
  $('ask-value').value = d.default;
  $('ask-no').hidden = d.kind === 'alert';
  show('ask');
}

function show(id) {
  $(id).returnValue = '';
  $(id).showModal();
}

// A person's own doing alone is an answer: a dialog is also closed because
// somebody else has answered it.
function answer(id, then) {
  const own = () => { if (control.mine) { then($(id).returnValue === 'yes'); keys.focus(); } };
  $(id).addEventListener('submit', e => { $(id).close(e.submitter?.value ?? 'yes'); e.preventDefault(); own(); });
  $(id).addEventListener('cancel', () => { $(id).returnValue = 'no'; own(); });
}

answer('ask', yes => {
  if (asked) send({ type: 'dialog', accept: yes, text: $('ask-value').value });
  asked = null;
});

function pick(c) {
  picked = c;
  $('pick').close();
  if (!c) return;
  if (!control.mine) return note('The page asks for a file');
  $('pick-files').multiple = c.multiple;
  $('pick-files').value = '';
  show('pick');
}

answer('pick', async yes => {
  if (!picked) return;
  picked = null;
  const files = yes ? [...$('pick-files').files] : [];
  if (files.length === 0) return send({ type: 'choose', cancel: true });
  const part = 45000; // with its name and in base64 below what a message may have
  for (const f of files) {
    const data = new Uint8Array(await f.arrayBuffer());
    for (let at = 0; at === 0 || at < data.length; at += part) {
      let text = '';
      for (const b of data.subarray(at, at + part)) text += String.fromCharCode(b);
      send({ type: 'file', ...(at === 0 && { name: f.name }), data: btoa(text) });
    }
  }
  send({ type: 'choose' });
});

// offer shows a list, a date or a colour to choose from as this machine has them.
function offer(p) {
  offered = p;
  $('choose').close();
  if (!p || !control.mine) return;
  const list = $('choose-list'), field = $('choose-value'), listed = p.kind === 'select';
  $('choose-text').textContent = p.label || (listed ? 'Choose one' : 'Choose a ' + p.kind.replace('-local', ' and time').replace('datetime', 'date'));
  list.hidden = !listed;
  field.hidden = listed;
  if (listed) fillList(list, p);
  else {
    field.type = p.kind;
    for (const name of ['min', 'max', 'step']) p[name] ? field.setAttribute(name, p[name]) : field.removeAttribute(name);
    field.value = p.value;
  }
  show('choose');
  (listed ? list : field).focus();
}

function fillList(list, p) {
  list.replaceChildren();
  let group = null;
  p.options.forEach((o, i) => {
    const option = new Option(o.label, i, false, i === p.selected);
    option.disabled = !!o.disabled;
    if (!o.group) group = null;
    else if (group?.label !== o.group) {
      group = document.createElement('optgroup');
      group.label = o.group;
      list.append(group);
    }
    (group ?? list).append(option);
  });
}

answer('choose', yes => {
  if (!offered) return;
  const { id, kind } = offered;
  offered = null;
  if (!yes || kind === 'select' && $('choose-list').selectedIndex < 0) return send({ type: 'pick', id, cancel: true });
  send({ type: 'pick', id, ...(kind === 'select' ? { index: $('choose-list').selectedIndex } : { value: $('choose-value').value }) });
});
const choose = () => $('choose-yes').click();
$('choose-list').addEventListener('dblclick', choose);
$('choose-list').addEventListener('keydown', e => { if (e.key === 'Enter') { e.preventDefault(); choose(); } });

// request shows what an agent asks.
let wish = null, tick = 0;
function request(a) {
  clearInterval(tick);
  const had = $('request').contains(document.activeElement);
  wish = a;
  $('request').hidden = !a;
  put('request-text', a ? 'The agent asks: ' + a.instructions : '');
  if (a) {
    left();
    tick = setInterval(left, 1000);
  } else if (had) (control.mine ? keys : $('drive')).focus();
}

function left() {
  const s = Math.max(0, Math.round((wish.until - Date.now()) / 1000));
  $('request-left').textContent = s >= 120 ? Math.round(s / 60) + ' min left' : s + ' s left';
}

async function reply(done) {
  const { id } = wish ?? {};
  if (!id) return;
  try {
    send({ type: 'answer', id, done, ...(!control.mine && { ticket: await ticket('control') }) });
  } catch (e) {
    note(e.message);
  }
}
$('request-done').onclick = () => reply(true);
$('request-decline').onclick = () => reply(false);

