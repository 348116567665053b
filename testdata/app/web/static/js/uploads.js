async function send(files) {
  const form = new FormData();
  for (const file of files) form.append('dropped', file);
  const answer = await fetch('/uploads', { method: 'POST', headers: { Accept: 'application/json' }, body: form });
  for (const f of await answer.json()) note('received', `${f.name} ${f.size} ${f.sha256}`);
}
const zone = document.getElementById('drop');
zone.addEventListener('dragover', (event) => { event.preventDefault(); zone.classList.add('over'); });
zone.addEventListener('dragleave', () => zone.classList.remove('over'));
zone.addEventListener('drop', (event) => {
  event.preventDefault();
  zone.classList.remove('over');
  send(event.dataTransfer.files);
});
document.getElementById('pick').addEventListener('click', () => {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.addEventListener('change', () => send(input.files));
  input.addEventListener('cancel', () => note('cancelled'));
  input.click();
});
for (const input of document.querySelectorAll('input[type=file]')) {
  input.addEventListener('change', () => {
    note('chosen', Array.from(input.files, (f) => `${f.name} ${f.size}`).join(', '));
  });
}
