const view = document.getElementById('view');
const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
const routes = {
  '/spa': () => [element('h1', 'Overview'), element('p', 'Everything is in order.')],
  async '/spa/orders'() {
    const answer = await fetch('/api/orders?delay=150ms');
    const rows = document.createElement('ul');
    for (const o of await answer.json()) rows.append(element('li', `${o.number} ${o.customer}`));
    return [element('h1', 'Latest orders'), rows];
  },
  '/spa/settings'() {
    const label = element('label', 'Shop name ');
    label.append(document.createElement('input'));
    const save = element('button', 'Save settings');
    save.addEventListener('click', () => {
      note('saved', label.querySelector('input').value);
      history.replaceState(null, '', '/spa/settings?saved=1');
    });
    return [element('h1', 'Settings'), label, save];
  },
};
async function show() {
  const path = location.pathname;
  for (const link of document.querySelectorAll('.spa nav a')) {
    if (link.pathname === path && !link.hash) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  view.replaceChildren(element('p', 'Loading'));
  const make = routes[path] || (() => [element('h1', 'No such view')]);
  const parts = await make();
  if (path !== location.pathname) return;
  view.replaceChildren(...parts);
  document.title = `${parts[0].textContent} · Single-page app`;
  note('shown', path);
}
document.querySelector('.spa nav').addEventListener('click', (event) => {
  const link = event.target.closest('a');
  if (!link || link.hash || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, '', link.pathname);
  show();
});
addEventListener('popstate', show);
addEventListener('hashchange', () => note('hash', location.hash));
show();
