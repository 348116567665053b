// The picture. Only the newest is drawn, whatever arrived meanwhile.
let size = { width: 1280, height: 800, seen: false };
let newest = null, drawing = false;

function frame(buffer) {
  newest = { buffer, at: performance.now() };
  if (!drawing) draw();
}

async function draw() {
  drawing = true;
  while (newest) {
    const { buffer, at } = newest;
    newest = null;
    const length = new DataView(buffer).getUint32(0);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    try {
      const image = await createImageBitmap(new Blob([new Uint8Array(buffer, 4 + length)], { type: 'image/jpeg' }));
      if (screen.width !== image.width || screen.height !== image.height) { screen.width = image.width; screen.height = image.height; }
      pen.drawImage(image, 0, 0);
      image.close();
      if (size.width !== head.width || size.height !== head.height) $('stage').style.aspectRatio = head.width + ' / ' + head.height;
      size = { width: head.width, height: head.height, seen: true };
      if (open()) $('veil').textContent = '';
      document.body.dataset.frame = head.seq;
      $('age').textContent = 'Picture ' + Math.round(head.age_ms + performance.now() - at) + ' ms old';
    } catch { /* a broken picture: the next one comes */ }
  }
  drawing = false;
}

