// Runs in every new document before the page's own scripts. Service workers
// could answer navigations without the network, out of the guard's sight.
(() => {
  const container = globalThis.ServiceWorkerContainer;
  if (!container) return;
  const register = async function register() {
    console.warn('Service workers are blocked in the sandbox browser');
  };
  Object.defineProperty(container.prototype, 'register', { value: register, writable: true, configurable: true, enumerable: true });
})();
