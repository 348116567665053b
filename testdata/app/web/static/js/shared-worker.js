addEventListener('connect', (event) => {
  const [port] = event.ports;
  port.addEventListener('message', () => port.postMessage('answered'));
  port.start();
});
