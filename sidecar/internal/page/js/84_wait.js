// Waiting for a text to show, or to be gone.
{
  // How often to look again on a page whose DOM does not change: style sheets
  // and animations show and hide things, too.
  const LOOK_AGAIN_MS = 200;

  // Each look costs a walk over the page, so a page that changes all the time
  // is not looked at in each frame.
  const LOOK_PAUSE_MS = 50;

  const seen = (text) =>
    P.batch(() => Find.byText(doc, Find.pattern({ value: text }), new Find.Texts()).some((el) => P.isVisible(el)));

  // awaitText resolves with true as soon as text is seen on the page (with gone,
  // as soon as it is not), with false after so many milliseconds.
  P.awaitText = async (text, gone, ms) => {
    const until = performance.now() + ms;
    let changed = true;
    let looked = -Infinity;
    const observer = new MutationObserver(() => (changed = true));
    observer.observe(doc, { subtree: true, childList: true, attributes: true, characterData: true });
    try {
      for (;;) {
        const now = performance.now();
        if ((changed && now - looked >= LOOK_PAUSE_MS) || now - looked >= LOOK_AGAIN_MS || now >= until) {
          changed = false;
          looked = now;
          if (seen(text) !== gone) return true;
          if (now >= until) return false;
        }
        await Act.frame();
      }
    } finally {
      observer.disconnect();
    }
  };
}
