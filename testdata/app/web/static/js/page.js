// Every page's account of what happened to it: in the page's log, as
// window.account, and, when the tab was opened with ?report=1, on the server.
(() => {
  'use strict';
  const account = [];
  const params = new URLSearchParams(location.search);
  let reporting = params.get('report') === '1';
  try {
    if (reporting) sessionStorage.setItem('report', '1');
    else reporting = sessionStorage.getItem('report') === '1';
  } catch { /* a sandboxed frame has no storage */ }

  function note(kind, text = '') {
    text = String(text);
    account.push({ kind, text });
    const log = document.getElementById('log');
    if (log) {
      const line = document.createElement('li');
      line.textContent = text ? `${kind}: ${text}` : kind;
      log.append(line);
    }
    if (reporting) {
      fetch('/debug/report', {
        method: 'POST', keepalive: true,
        body: JSON.stringify({ page: location.pathname, kind, text }),
      }).catch(() => {});
    }
  }

  Object.defineProperty(window, 'account', { value: account });
  Object.defineProperty(window, 'note', { value: note });
  Object.defineProperty(window, 'query', { value: params });
})();
