// Bundles the pages into the directory that is given: one page a folder.
import { build } from 'esbuild';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const out = process.argv[2];
const pages = ['mui', 'antd', 'shadcn', 'editors', 'lists'];

await build({
  entryPoints: [
    ...pages.map((name) => ({ in: `${name}/main.jsx`, out: `${name}/main` })),
    { in: 'node_modules/monaco-editor/esm/vs/editor/editor.worker.js', out: 'editors/worker' },
  ],
  outdir: out,
  bundle: true,
  format: 'iife',
  jsx: 'automatic',
  target: 'es2022',
  // What people are served: names that say nothing, no warnings for developers.
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"' },
  loader: { '.ttf': 'file' },
  logLevel: 'warning',
});

for (const name of pages) {
  const style = existsSync(join(out, name, 'main.css')) ? '<link rel="stylesheet" href="main.css">' : '';
  writeFileSync(
    join(out, name, 'index.html'),
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${name}</title><link rel="icon" href="data:,">${style}<div id="root"></div><script src="main.js"></script></html>`,
  );
}
