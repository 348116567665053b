
  // The last of the library's types of events, and a page's largest size in CSS pixels.
  const MOST = 6, LARGEST = 16384;
  // Sources of increments that a hand causes: mouse buttons, typing.
  const BY_HAND = new Set([2, 5]);

  // model sorts the events of a recording into tabs and the items of a timeline.
  //
  //   start, end   epoch milliseconds
  //   opening      when the first page with something on it was drawn
  //   tabs         by number: {number, title, opened, closed, events}
  //   items        [{at, seen, kind, tab, head, text}], in order of time; seen is when
  //                it can be seen
  //   shown        [{at, tab}]: which tab is on screen from when on
  //   times        of everything, in order
  //
  // Addresses of the app are told without its origin.
  const model = (events, app) => {
    const tabs = new Map();
    const items = [];
    const shown = [];
    const times = [];
    let ended = false;
    const tab = (n) => {
      if (!tabs.has(n)) tabs.set(n, { number: n, title: `Tab ${n}`, opened: 0, closed: 0, events: [] });
      return tabs.get(n);
    };
    const inApp = (url) => (app && typeof url === 'string' && url.startsWith(`${app}/`) ? url.slice(app.length) : url);
    for (const e of events) {
      const data = e?.data;
      if (data === null || typeof data !== 'object' || !Number.isFinite(e.timestamp)) continue;
      if (e.kind === 'rrweb') {
        if (!playable(data)) continue;
        const t = tab(Number.isInteger(data.tab) ? data.tab : 0);
        // A player can begin at a page's address or at a snapshot.
        if (t.events.length === 0 && data.type !== META && data.type !== FULL_SNAPSHOT) continue;
        // The order of arrival is the true one.
        const last = t.events.length > 0 ? t.events[t.events.length - 1].timestamp : 0;
        const at = Math.max(last, e.timestamp);
        t.events.push({ type: data.type, data: data.data, timestamp: at });
        times.push(at);
        if (data.type === INCREMENT && data.data && BY_HAND.has(data.data.source)) shown.push({ at, tab: t.number });
        continue;
      }
      times.push(e.timestamp);
      const item = describe(e.kind, { ...data, url: inApp(data.url) });
      if (!item) continue;
      item.at = e.timestamp;
      item.tab = Number.isInteger(data.tab) ? data.tab : 0;
      items.push(item);
      ended = ended || data.label === 'stopping';
      if (!item.tab) continue;
      const t = tab(item.tab);
      // The agent's calls say where it was when they were done.
      if (e.kind === 'action') {
        shown.push({ at: e.timestamp + (data.duration_ms > 0 ? data.duration_ms : 0), tab: item.tab });
        continue;
      }
      if (typeof data.url === 'string') t.title = inApp(data.url);
      if (ended) continue; // pages that close with the session stay as they were last
      if (data.label === 'page_opened') t.opened = e.timestamp;
      if (data.label === 'page_closed') t.closed = e.timestamp;
      if (data.label === 'page_opened' || data.label === 'page_closed') shown.push({ at: e.timestamp, tab: item.tab, closed: data.label === 'page_closed' });
    }
    const byTime = (a, b) => a.at - b.at;
    items.sort(byTime);
    times.sort((a, b) => a - b);
    for (const item of items) item.seen = seenAt(item, tabs, items);
    const start = times[0] || 0, end = times[times.length - 1] || 0;
    for (const t of tabs.values()) {
      harmless(t.events);
      // A player needs two events, and the last one is the session's end for all.
      if (t.events.length > 0) t.events.push({ type: CUSTOM, data: { tag: 'end', payload: {} }, timestamp: Math.max(end, t.events[t.events.length - 1].timestamp) });
    }
    const opening = Math.min(...[...tabs.values()].map((t) => firstDrawn(t.events)));
    return { start, end, opening: opening < end ? opening : start, tabs, items, times, shown: onScreen(shown.sort(byTime), tabs) };
  };

  // seenAt is when an item can be seen: a page that it went to, or the call that opened
  // the tab, just after there was something drawn.
  const seenAt = (item, tabs, items) => {
    if (!tabs.has(item.tab)) return item.at;
    const { events } = tabs.get(item.tab);
    const first = events.find((e) => e.type === FULL_SNAPSHOT);
    if (item.kind !== 'page' && (!first || item.at > first.timestamp)) return item.at;
    const next = item.kind === 'page' && items.find((i) => i.kind === 'page' && i.tab === item.tab && i.at > item.at);
    const drawn = events.find((e) => e.type === FULL_SNAPSHOT && e.timestamp >= item.at);
    return drawn && (!next || drawn.timestamp < next.at) ? drawn.timestamp + 1 : item.at;
  };

  // firstDrawn is when a tab was first seen with a page of the web in it; every tab
  // begins with an empty one.
  const firstDrawn = (events) => {
    const page = events.findIndex((e) => e.type === META && /^https?:/.test(word(e.data.href, '')));
    const drawn = page >= 0 && events.slice(page).find((e) => e.type === FULL_SNAPSHOT);
    return drawn ? drawn.timestamp + 1 : Infinity;
  };

  // playable says whether a player can make anything of an event.
  const playable = ({ type, data }) => {
    if (data === null || typeof data !== 'object') return false;
    switch (type) {
      case META: return [data.width, data.height].every((n) => Number.isFinite(n) && n > 0 && n <= LARGEST);
      case FULL_SNAPSHOT: return data.node !== null && typeof data.node === 'object' && Array.isArray(data.node.childNodes);
      default: return Number.isInteger(type) && type >= 0 && type <= MOST;
    }
  };

  // onScreen says which tab a person would have seen: the one that opened last or was
  // used last, and when it closes the one before.
  const onScreen = (signs, tabs) => {
    const shown = [];
    let open = [];
    const gone = new Set(); // numbers are not used again
    for (const s of signs) {
      if (gone.has(s.tab)) continue;
      open = open.filter((n) => n !== s.tab);
      if (s.closed) gone.add(s.tab);
      else open.push(s.tab);
      const now = open[open.length - 1];
      if (now !== undefined && (shown.length === 0 || shown[shown.length - 1].tab !== now)) shown.push({ at: s.at, tab: now });
    }
    const first = [...tabs.keys()].filter((n) => tabs.get(n).events.length > 0).sort((a, b) => a - b)[0];
    if (first !== undefined && shown.length === 0) shown.push({ at: 0, tab: first });
    return shown;
  };

  // word is a string or a number as text. What else is there may not even have a text.
  const word = (value, instead) => ((typeof value === 'string' && value !== '') || Number.isFinite(value) ? String(value) : instead);

  // words is a stable word as people write it.
  const words = (value) => (typeof value === 'string' ? value.replaceAll('_', ' ') : '');

  // describe says what a fact means to a person; null for what is no item.
  const describe = (kind, data) => {
    const text = (...parts) => parts.filter((p) => typeof p === 'string' && p !== '').join(' · ');
    if (kind === 'console') return { kind: 'error', head: data.level === 'warning' ? 'Warning' : 'Error', text: text(data.message || data.text) };
    if (kind === 'action') {
      const took = Number.isFinite(data.duration_ms) ? `${data.duration_ms} ms` : '';
      const failed = data.outcome === 'ok' ? '' : data.outcome;
      return { kind: 'action', head: word(data.tool, 'action').replace(/^browser_/, ''), text: text(data.target, data.to, data.url, data.what, data.key, took, failed), failed: failed !== '' };
    }
    if (kind !== 'marker') return null;
    const who = data.user && typeof data.user === 'object' ? data.user.name || data.user.id : '';
    switch (data.label) {
      case 'page_opened': return { kind: 'page', head: 'Opened', text: text(data.url) };
      case 'navigated': return { kind: 'page', head: 'Went to', text: text(data.url) };
      case 'page_closed': return { kind: 'page', head: 'Closed', text: '' };
      case 'takeover_started': return { kind: 'person', head: 'A person took over', text: text(who) };
      case 'takeover_ended': return { kind: 'person', head: 'A person let go', text: text(who, words(data.reason)) };
      case 'refused': return { kind: 'refusal', head: 'Refused', text: text(data.kind, data.target, words(data.rule)) };
      case 'crashed': return { kind: 'error', head: 'The page crashed', text: '' };
      case 'recording_failed': return { kind: 'session', head: 'A page could not be recorded', text: '' };
      case 'recording_gap': return { kind: 'session', head: 'Events are missing', text: word(data.dropped, '') };
      case 'film_ended': return { kind: 'session', head: 'Filming ends', text: text(data.reason) };
      case 'filmed': return { kind: 'session', head: 'Film begins', text: text(data.file) };
      case 'stopping': return { kind: 'session', head: 'The session ended', text: text(data.reason) };
      default: return { kind: 'session', head: word(data.label, 'A marker'), text: '' };
    }
  };
