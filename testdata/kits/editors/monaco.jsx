import * as monaco from 'monaco-editor/editor/editor.main.js';
import { useEffect, useRef } from 'react';
import { Facts, useFacts } from '../shared.jsx';

self.MonacoEnvironment = { getWorker: () => new Worker('worker.js') };

export const MonacoPart = () => {
  const place = useRef(null);
  const [f, set] = useFacts({ text: '' });
  useEffect(() => {
    const editor = monaco.editor.create(place.current, { value: 'let old = 1;\nlet other = 2;\n', language: 'plaintext', ariaLabel: 'Source', automaticLayout: true });
    const heard = editor.onDidChangeModelContent(() => set('text')(JSON.stringify(editor.getValue())));
    return () => {
      heard.dispose();
      editor.dispose();
    };
  }, []);
  return (
    <>
      <h1>Monaco</h1>
      <div ref={place} style={{ height: 240, border: '1px solid #ccc' }} />
      <Facts of={f} />
    </>
  );
};
