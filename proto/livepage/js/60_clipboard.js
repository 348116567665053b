// The clipboard. What is pasted comes as the browser's own event, without asking
// for a permission; what is copied is asked of the page, and put here.
let waiting = null; // what goes on when the copy is here

function copy(then) {
  send({ type: 'copy' });
  clearTimeout(waiting?.timer);
  waiting = { then, timer: setTimeout(() => copied(null), 500) };
}

async function copied(text) {
  const next = waiting;
  clearTimeout(next?.timer);
  waiting = null;
  if (text && control.mine) {
    try {
      await navigator.clipboard.writeText(text);
      note('Copied');
    } catch {
      // No permission, or no secure address: the old way, while a key is down.
      const box = document.createElement('textarea');
      box.value = text;
      document.body.append(box);
      box.select();
      note(document.execCommand('copy') ? 'Copied' : 'This browser does not let the page copy');
      box.remove();
      keys.focus();
    }
  }
  next?.then?.();
}

