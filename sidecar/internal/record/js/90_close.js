
  // What the sidecar can ask of us. Nobody else has this function.
  const answer = (command) => {
    switch (command) {
      case 'flush': return take();
      case 'look': return void look();
      case 'stop':
        broken = true;
        if (stop) stop();
        stop = null;
        return undefined;
      case 'snapshot':
        if (broken || !stop) return false;
        library.takeFullSnapshot(true);
        flush();
        return true;
      case 'frames': {
        const found = [];
        const known = [];
        for (let i = 0; i < frames.length; i++) {
          const el = broken ? null : library.mirror.getNode(frames[i]);
          if (!el || !isConnected(el)) continue;
          known[known.length] = frames[i];
          found[found.length] = frames[i];
          found[found.length] = el;
        }
        frames = known;
        return found;
      }
      default: return undefined;
    }
  };
  // The console is the one way on which a page's world hands the sidecar an object.
  const announce = () => debug(mark, answer, run);

  announce();
  wire();
})
