const show = (id, text) => { document.getElementById(id).textContent = text; note(id, text); };
if (navigator.serviceWorker) {
  navigator.serviceWorker.register('/sw.js').then(
    () => navigator.serviceWorker.ready.then(() => show('service', 'active')),
    (error) => show('service', `refused ${error.name}`),
  );
} else {
  show('service', 'unavailable');
}
try {
  const worker = new Worker('/static/js/worker.js');
  worker.addEventListener('message', (event) => show('dedicated', event.data));
  worker.addEventListener('error', () => show('dedicated', 'refused'));
  worker.postMessage(query.get('to') || 'ping');
} catch (error) {
  show('dedicated', `refused ${error.name}`);
}
try {
  const shared = new SharedWorker('/static/js/shared-worker.js');
  shared.port.addEventListener('message', (event) => show('shared', event.data));
  shared.addEventListener('error', () => show('shared', 'refused'));
  shared.port.start();
  shared.port.postMessage('ping');
} catch (error) {
  show('shared', `refused ${error.name}`);
}
