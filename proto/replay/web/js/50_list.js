
  // The kinds of items and what they are called.
  const KINDS = [['action', 'Actions'], ['page', 'Pages'], ['error', 'Errors'], ['person', 'People'], ['refusal', 'Refusals'], ['session', 'Session']];

  // makeList shows the items, those that are asked for. go is called with the one
  // that is chosen.
  const makeList = (session, go) => {
    const list = byId('items'), search = byId('search'), count = byId('count');
    const off = new Set();
    const rows = session.items.map((item) => {
      const row = make('li', item.kind + (item.failed ? ' failed' : ''));
      const button = make('button', 'item');
      button.type = 'button';
      const said = make('span', 'said');
      said.append(make('b', '', item.head), item.text && ' ', make('span', '', item.text));
      button.append(make('time', '', clockText(item.at - session.start)), said);
      if (item.tab) button.append(make('i', '', `tab ${item.tab}`));
      button.addEventListener('click', () => go(item));
      row.append(button);
      return { item, row, words: `${item.head} ${item.text}`.toLowerCase() };
    });
    list.append(...rows.map((r) => r.row));

    const filter = () => {
      const wanted = search.value.trim().toLowerCase().split(/\s+/);
      let n = 0;
      for (const r of rows) {
        r.row.hidden = off.has(r.item.kind) || !wanted.every((w) => r.words.includes(w));
        if (!r.row.hidden) n++;
      }
      count.textContent = n === rows.length ? `${n}` : `${n} of ${rows.length}`;
    };
    for (const [kind, name] of KINDS) {
      if (!rows.some((r) => r.item.kind === kind)) continue;
      const box = make('input');
      box.type = 'checkbox';
      box.checked = true;
      box.addEventListener('change', () => {
        if (box.checked) off.delete(kind);
        else off.add(kind);
        filter();
      });
      const label = make('label', kind);
      label.append(box, ` ${name}`);
      byId('kinds').append(label);
    }
    search.addEventListener('input', filter);
    search.addEventListener('keydown', (e) => {
      const first = rows.find((r) => !r.row.hidden);
      if (e.key === 'Enter' && first) go(first.item);
    });
    filter();

    const times = session.items.map((item) => item.at);
    let reached = null;
    // mark shows how far the session is.
    const mark = (at) => {
      const n = after(times, at) - 1;
      const now = n >= 0 ? rows[n].row : null;
      if (now === reached) return;
      if (reached) reached.removeAttribute('aria-current');
      reached = now;
      if (!now) return;
      now.setAttribute('aria-current', 'true');
      if (!list.matches(':hover')) now.scrollIntoView({ block: 'nearest' });
    };
    return { mark };
  };
