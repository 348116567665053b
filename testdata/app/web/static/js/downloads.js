function save(name, url) {
  const link = document.createElement('a');
  link.href = url;
  if (name) link.download = name;
  link.click();
  note('download', name || url);
}
document.getElementById('blob').addEventListener('click', () => {
  save('memory.txt', URL.createObjectURL(new Blob(['made in the page\n'], { type: 'text/plain' })));
});
document.getElementById('many').addEventListener('click', () => {
  for (const n of [1, 2, 3, 4, 5]) save(`many-${n}.txt`, `/downloads/file?name=many-${n}.txt`);
});
