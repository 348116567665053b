// Keeps the page as new as the host's state. Only sections that changed are
// replaced; scrolling and the keyboard's place stay where they are.
const everyMs = 1000; // a person's idea of "now"
const main = document.querySelector('main');
const news = document.querySelector('#news');
const places = 'a[href], [tabindex]';

function replace(before, after) {
  const focused = [...before.querySelectorAll(places)].indexOf(document.activeElement);
  const scrolled = before.querySelector('.scroll')?.scrollLeft ?? 0;
  before.replaceWith(after);
  const box = after.querySelector('.scroll');
  if (box) box.scrollLeft = scrolled;
  if (focused >= 0) after.querySelectorAll(places)[focused]?.focus({ preventScroll: true });
}

// announce tells a screen reader what a sighted person sees change colour.
function announce({ browser, agent }) {
  const text = `Browser ${browser.status}. Agent ${agent.status}. ${agent.outcome ?? ''}`;
  if (news.textContent !== text) news.textContent = text;
}

async function refresh() {
  const state = await (await fetch('/api/state')).json();
  if (String(state.revision) === main.dataset.revision) return;
  const text = await (await fetch('/')).text();
  const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('main');
  const after = [...fresh.querySelectorAll('section')];
  [...main.querySelectorAll('section')].forEach((before, i) => {
    if (before.innerHTML !== after[i].innerHTML) replace(before, after[i]);
  });
  main.dataset.revision = fresh.dataset.revision;
  announce(state);
}

async function keepFresh() {
  try {
    await refresh();
  } catch {
    // The host has stopped, or is about to be back: what is shown stays.
  }
  setTimeout(keepFresh, everyMs);
}
keepFresh();
