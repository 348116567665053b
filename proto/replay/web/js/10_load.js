
  // load reads what is known of the recording and its events: out of this file, if it
  // is an export, else from where the page came from.
  const load = async () => {
    const kept = byId('recording');
    if (kept) {
      const about = JSON.parse(new TextDecoder().decode(bytes(kept.dataset.about)));
      const packed = bytes(kept.dataset.events);
      kept.remove();
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
      return { about, events: lines(await new Response(stream).text()) };
    }
    const [about, events] = await Promise.all(['recording.json', 'events'].map(async (path) => {
      const answer = await fetch(path);
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      return answer.text();
    }));
    return { about: JSON.parse(about), events: lines(events) };
  };

  const bytes = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

  // lines reads JSON lines; one that is none is left out.
  const lines = (text) => {
    const all = [];
    for (const line of text.split('\n')) {
      if (line === '') continue;
      try {
        all.push(JSON.parse(line));
      } catch {
        continue;
      }
    }
    return all;
  };
