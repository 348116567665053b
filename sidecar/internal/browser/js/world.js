// Runs in every document from the start, in a world of its own, which exists by
// that. A page that goes to an address of other programs (mailto:, tel:) makes full
// Chromium ask a person whether to open one, in a dialog that nobody sees and that
// keeps all input from the tab.
(() => {
  const here = /^(https?|about|blob|data|javascript|file|filesystem|view-source|devtools|chrome[a-z-]*):/i;
  globalThis.navigation?.addEventListener('navigate', (event) => {
    if (!event.cancelable || here.test(event.destination.url)) return;
    event.preventDefault();
    console.warn('Other programs are not opened by the sandbox browser: ' + event.destination.url.split(':', 1)[0] + ':');
  }, true);
})();
