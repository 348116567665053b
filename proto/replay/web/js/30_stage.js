
  // Careful is a player in which an event that makes no sense costs itself and not
  // the rest of its tab.
  class Careful extends rrwebReplay.Replayer {
    getCastFn(event, isSync) {
      const cast = super.getCastFn(event, isSync);
      return () => {
        try {
          cast();
        } catch {
          return;
        }
      };
    }
  }

  // Where a moment is in the life of a tab.
  const EARLY = 'early', NOW = 'now', OVER = 'over';

  // stage shows one tab at one moment. Each tab has a player of its own, made when it
  // is shown for the first time.
  const makeStage = (session) => {
    const screen = byId('screen'), notice = byId('notice'), room = byId('stage');
    const players = new Map();
    let current = null;

    const player = (number) => {
      if (players.has(number)) return players.get(number);
      const t = session.tabs.get(number);
      const p = { number, tab: t, root: make('div', 'player'), replayer: null, playing: false, broken: '', when: NOW };
      p.root.hidden = true;
      p.root.inert = true; // a link in the page leads out of the recording
      screen.append(p.root);
      players.set(number, p);
      if (!t || t.events.length === 0) {
        p.broken = 'Nothing of this tab was recorded.';
        return p;
      }
      try {
        // The defaults keep scripts out: the frame that it builds pages in allows none.
        // Its virtual document is quicker over long ways and forgets where pages were
        // scrolled to.
        p.replayer = new Careful(t.events, {
          root: p.root, mouseTail: false, triggerFocus: false, showWarning: false, speed: 1, useVirtualDom: false,
        });
        p.replayer.on('resize', () => fit());
        p.replayer.pause(0);
      } catch {
        p.broken = 'This tab can’t be replayed.';
      }
      return p;
    };

    // show puts a tab on the stage as it was at a time, running at a speed or, at 0,
    // standing still.
    const show = (number, at, speed) => {
      const p = number === null ? null : player(number);
      if (current && current !== p) {
        halt(current);
        current.root.hidden = true;
      }
      current = p;
      if (!p) return say('No tab was open yet.');
      p.when = phase(p, at);
      p.root.hidden = p.broken !== '' || p.when !== NOW;
      say(p.broken || { [EARLY]: 'This page had not drawn anything yet.', [OVER]: 'This tab was closed.' }[p.when] || '');
      if (p.broken) return;
      // Never to the very beginning: a player that was further on plays nothing then,
      // forgets its page, and from there on misses what it believes to have played.
      const into = Math.max(1, at - p.tab.events[0].timestamp);
      try {
        if (speed > 0 && p.when === NOW) {
          p.replayer.setConfig({ speed });
          p.replayer.play(into);
          p.playing = true;
        } else {
          halt(p);
          p.replayer.pause(into);
        }
      } catch {
        p.broken = 'This tab can’t be replayed from here on.';
        say(p.broken);
      }
      fit();
    };

    // phase says where a time is in the life of a player's tab.
    const phase = (p, at) => {
      if (p.broken) return NOW;
      if (at < p.tab.events[0].timestamp) return EARLY;
      return p.tab.closed && at > p.tab.closed ? OVER : NOW;
    };

    // turned says whether the tab on the stage has begun or ended since it was shown.
    const turned = (at) => current !== null && phase(current, at) !== current.when;

    const halt = (p) => {
      if (p.playing && p.replayer) p.replayer.pause();
      p.playing = false;
    };

    const say = (text) => {
      notice.textContent = text;
      notice.hidden = text === '';
    };

    // fit scales the page to the room that there is.
    const fit = () => {
      if (!current || !current.replayer) return;
      const frame = current.replayer.iframe;
      const width = frame.offsetWidth || 1, height = frame.offsetHeight || 1;
      const own = byId('zoom').checked;
      const scale = own ? 1 : Math.min(1, room.clientWidth / width, room.clientHeight / height);
      current.root.style.transform = `scale(${scale})`;
      current.root.style.width = `${width}px`;
      current.root.style.height = `${height}px`;
      screen.style.width = `${width * scale}px`;
      screen.style.height = `${height * scale}px`;
      room.classList.toggle('own', own);
    };
    new ResizeObserver(fit).observe(room);

    return { show, fit, turned };
  };
