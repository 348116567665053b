document.getElementById('tell').addEventListener('click', () => {
  if (opener) opener.postMessage('from the popup', '*');
  note('tell', opener ? 'told' : 'no opener');
});
document.getElementById('close').addEventListener('click', () => close());
note('opener', Boolean(opener));
