// Takes over its pages at once and answers one path by itself, so that a page
// under its control can be told from one that is not.
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  if (new URL(event.request.url).pathname === '/from-service-worker') {
    event.respondWith(new Response('the service worker answered'));
  }
});
