const modifiers = (event) => ['ctrlKey', 'altKey', 'shiftKey', 'metaKey'].filter((m) => event[m]).map((m) => m.replace('Key', '+')).join('');
for (const kind of ['keydown', 'keypress', 'keyup']) {
  addEventListener(kind, (event) => note(kind, `${modifiers(event)}${event.key} ${event.code} ${event.keyCode}${event.isTrusted ? '' : ' untrusted'}`));
}
addEventListener('input', (event) => note('input', `${event.inputType} ${event.data ?? ''}`));
addEventListener('paste', (event) => note('paste', event.clipboardData.getData('text')));
for (const kind of ['compositionstart', 'compositionend']) addEventListener(kind, (event) => note(kind, event.data));
addEventListener('focusin', (event) => note('focus', event.target.id));
document.getElementById('clear').addEventListener('click', () => {
  document.getElementById('log').replaceChildren();
  account.length = 0;
});
