
  // How long nothing must happen for a pause to be skipped, and how much of it is
  // left before the next thing happens; milliseconds of the recording.
  const IDLE = 3000, BEFORE = 700;
  // How far the clock may be from a player before the player is told again.
  const KEYS_JUMP = 5000;

  // makeClock keeps the session's time. tell is called with every change: (at, jumped).
  const makeClock = (session, tell) => {
    let at = session.start, speed = 1, playing = false, last = 0;

    const frame = (now) => {
      if (!playing) return;
      const passed = Math.min(now - last, 1000) * speed; // a tab in the background stands still
      last = now;
      at = Math.min(session.end, at + passed);
      const jumped = skip();
      if (at >= session.end) playing = false;
      tell(at, jumped || !playing);
      if (playing) requestAnimationFrame(frame);
    };

    // skip goes to the next thing that happens, where that is far.
    const skip = () => {
      if (!byId('skip').checked) return false;
      const next = session.times[after(session.times, at)];
      if (next === undefined || next - at < IDLE) return false;
      at = next - BEFORE;
      return true;
    };

    const jump = (to) => {
      at = Math.max(session.start, Math.min(session.end, to));
      tell(at, true);
    };
    const play = (on) => {
      if (on && at >= session.end) at = session.start;
      playing = on;
      last = performance.now();
      tell(at, true);
      if (on) requestAnimationFrame(frame);
    };
    const setSpeed = (n) => {
      speed = n;
      tell(at, true);
    };
    return { jump, play, setSpeed, at: () => at, speed: () => (playing ? speed : 0), playing: () => playing };
  };

  // after is the place of the first of some ordered times that is later.
  const after = (times, at) => {
    let low = 0, high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
