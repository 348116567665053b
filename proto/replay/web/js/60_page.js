
  // The page as a whole.
  const start = ({ about, events }) => {
    const session = model(events, about.app);
    const length = session.end - session.start;
    const stage = makeStage(session);
    let chosen = null; // by a person, who does not want to be led elsewhere
    let pin = null; // {tab, from, until}: where an item is that was chosen

    byId('about').textContent = [about.app, about.started && new Date(about.started).toLocaleString(), `${about.events} events`,
      about.full && 'cut at its limit', about.how === 'interrupted' && 'interrupted', !about.how && 'not ended: load again for more'].filter(Boolean).join(' · ');
    byId('length').textContent = clockText(length);
    const seek = byId('seek');
    seek.max = String(length);

    const buttons = new Map();
    const tabAt = (at) => {
      if (!byId('follow').checked && chosen !== null) return chosen;
      if (pin && at >= pin.from && at < pin.until) return pin.tab;
      const n = after(session.shown.map((s) => s.at), at) - 1;
      return n >= 0 ? session.shown[n].tab : null;
    };
    let showing = null;
    const clock = makeClock(session, (at, jumped) => {
      const tab = tabAt(at);
      if (jumped || tab !== showing || stage.turned(at)) stage.show(tab, at, clock.speed());
      if (tab !== showing) {
        for (const [n, b] of buttons) b.setAttribute('aria-selected', String(n === tab));
        showing = tab;
      }
      byId('now').textContent = clockText(at - session.start);
      seek.value = String(at - session.start);
      byId('play').textContent = clock.playing() ? 'Pause' : 'Play';
      byId('play').setAttribute('aria-pressed', String(clock.playing()));
      list.mark(at);
    });
    const list = makeList(session, (item) => {
      if (item.tab) {
        // Its tab is shown until it closes or another one comes to the front.
        const next = session.shown.find((s) => s.at > item.at);
        const { closed } = session.tabs.get(item.tab);
        pin = { tab: item.tab, from: item.at, until: Math.min(next ? next.at : Infinity, closed || Infinity) };
        if (!byId('follow').checked) chosen = item.tab;
      }
      clock.jump(item.seen);
    });

    // choose shows a tab and no other.
    const choose = (tab) => {
      chosen = tab;
      byId('follow').checked = false;
    };
    for (const t of [...session.tabs.values()].sort((a, b) => a.number - b.number)) {
      const b = make('button', 'tab', `${t.number} · ${t.title}`);
      b.type = 'button';
      b.addEventListener('click', () => {
        choose(t.number);
        clock.jump(clock.at());
      });
      buttons.set(t.number, b);
      byId('tabs').append(b);
    }

    for (const item of session.items) {
      const m = make('i', item.kind + (item.failed ? ' failed' : ''));
      m.style.left = `${length > 0 ? ((item.at - session.start) / length) * 100 : 0}%`;
      byId('marks').append(m);
    }
    seek.addEventListener('input', () => {
      pin = null;
      clock.jump(session.start + Number(seek.value));
    });
    byId('play').addEventListener('click', () => clock.play(!clock.playing()));
    byId('speed').addEventListener('change', (e) => clock.setSpeed(Number(e.target.value)));
    byId('zoom').addEventListener('change', () => stage.fit());
    byId('follow').addEventListener('change', () => clock.jump(clock.at()));
    document.addEventListener('keydown', (e) => {
      if (e.target.closest('input, select, button')) return;
      const step = { ArrowLeft: -KEYS_JUMP, ArrowRight: KEYS_JUMP }[e.key];
      if (step) clock.jump(clock.at() + step);
      else if (e.key === ' ') clock.play(!clock.playing());
      else return;
      e.preventDefault();
    });

    // named goes to the moment that the address names, or to the first one with
    // something to see.
    const named = () => {
      const asked = new URLSearchParams(location.hash.slice(1));
      const tab = Number(asked.get('tab'));
      if (session.tabs.has(tab)) choose(tab);
      byId('zoom').checked = asked.get('zoom') === '1';
      clock.jump(asked.has('t') ? session.start + (Number(asked.get('t')) || 0) : session.opening);
    };
    addEventListener('hashchange', named);
    named();
    document.documentElement.dataset.start = String(session.start);
    document.documentElement.dataset.state = session.times.length > 0 ? 'ready' : 'empty';
    if (session.times.length === 0) byId('notice').textContent = 'There is nothing in this recording yet.';
  };

  load().then(start).catch((err) => {
    document.documentElement.dataset.state = 'failed';
    byId('notice').textContent = `The recording can’t be shown: ${err.message}.`;
  });
})();
