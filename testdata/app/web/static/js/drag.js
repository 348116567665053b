for (const piece of document.querySelectorAll('.piece')) {
  piece.addEventListener('dragstart', (event) => {
    event.dataTransfer.setData('text/plain', piece.id);
    event.dataTransfer.effectAllowed = 'move';
    note('dragstart', piece.id);
  });
  piece.addEventListener('dragend', (event) => note('dragend', event.dataTransfer.dropEffect));
}
for (const column of document.querySelectorAll('#todo, #done')) {
  column.addEventListener('dragover', (event) => { event.preventDefault(); column.classList.add('over'); });
  column.addEventListener('dragleave', () => column.classList.remove('over'));
  column.addEventListener('drop', (event) => {
    event.preventDefault();
    column.classList.remove('over');
    const piece = document.getElementById(event.dataTransfer.getData('text/plain'));
    if (piece) column.append(piece);
    note('drop', `${piece ? piece.id : 'nothing'} on ${column.id}`);
  });
}
const knob = document.getElementById('knob');
const track = document.getElementById('track');
let grabbed = null;
knob.addEventListener('pointerdown', (event) => {
  grabbed = event.clientX - knob.offsetLeft;
  knob.setPointerCapture(event.pointerId);
});
knob.addEventListener('pointermove', (event) => {
  if (grabbed === null) return;
  const room = track.clientWidth - knob.clientWidth;
  const left = Math.min(Math.max(event.clientX - grabbed, 0), room);
  knob.style.left = `${left}px`;
  knob.setAttribute('aria-valuenow', Math.round((left / room) * 100));
});
knob.addEventListener('pointerup', () => {
  grabbed = null;
  note('amount', knob.getAttribute('aria-valuenow'));
});
const zone = document.getElementById('zone');
zone.addEventListener('dragover', (event) => event.preventDefault());
zone.addEventListener('drop', (event) => {
  event.preventDefault();
  const data = event.dataTransfer;
  for (const type of data.types) if (type !== 'Files') note('data', `${type} ${data.getData(type)}`);
  for (const file of data.files) note('file', `${file.name} ${file.size}`);
});
