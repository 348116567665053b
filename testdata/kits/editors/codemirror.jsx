import { javascript } from '@codemirror/lang-javascript';
import { EditorView, basicSetup } from 'codemirror';
import { useEffect, useRef } from 'react';
import { Facts, useFacts } from '../shared.jsx';

export const CodeMirrorPart = () => {
  const place = useRef(null);
  const [f, set] = useFacts({ text: '' });
  useEffect(() => {
    const listen = EditorView.updateListener.of((u) => u.docChanged && set('text')(JSON.stringify(u.state.doc.toString())));
    const view = new EditorView({
      doc: 'function old() {\n  return 1;\n}\n', parent: place.current,
      extensions: [basicSetup, javascript(), listen, EditorView.contentAttributes.of({ 'aria-label': 'Source' })],
    });
    return () => view.destroy();
  }, []);
  return (
    <>
      <h1>CodeMirror</h1>
      <div ref={place} style={{ height: 240, border: '1px solid #ccc' }} />
      <Facts of={f} />
    </>
  );
};
