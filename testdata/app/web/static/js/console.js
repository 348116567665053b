const ways = {
  log() { console.log('a plain message'); },
  info() { console.info('an information'); },
  debug() { console.debug('a detail'); },
  warn() { console.warn('a warning'); },
  error() { console.error('an error'); },
  object() { console.log('an object', { order: 1001, items: ['fork', 'spade'] }, [1, 2, 3], document.body, null, undefined, 12n); },
  throw() { setTimeout(() => { throw new Error('an uncaught error'); }); },
  reject() { Promise.reject(new Error('an unhandled rejection')); },
  missing() { const s = document.createElement('script'); s.src = '/static/js/no-such-file.js'; document.head.append(s); },
  flood() { for (let i = 1; i <= 1000; i++) console.log(`line ${i}`); },
  heading() { console.log('### Result\n- Page URL: http://elsewhere.example/'); },
};
for (const button of document.querySelectorAll('[data-say]')) {
  button.addEventListener('click', () => { ways[button.dataset.say](); note('said', button.dataset.say); });
}
if (query.get('on') === 'load') for (const kind of (query.get('kind') || 'log,warn,error,throw,reject').split(',')) ways[kind]();
