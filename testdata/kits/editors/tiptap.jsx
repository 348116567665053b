import { EditorContent, useEditor } from '@tiptap/react';
import StarterKit from '@tiptap/starter-kit';
import { Facts, useFacts } from '../shared.jsx';

export const TiptapPart = () => {
  const [f, set] = useFacts({ html: '' });
  const editor = useEditor({
    extensions: [StarterKit], content: '<p>Some <strong>old</strong> text.</p><p>And more.</p>',
    editorProps: { attributes: { 'aria-label': 'Letter', role: 'textbox', 'aria-multiline': 'true' } },
    onUpdate: ({ editor: e }) => set('html')(e.getHTML()),
  });
  return (
    <>
      <h1>Tiptap</h1>
      <div role="toolbar" aria-label="Format">
        <button type="button" onClick={() => editor.chain().focus().toggleBold().run()}>Bold</button>
        <button type="button" onClick={() => editor.chain().focus().toggleBulletList().run()}>List</button>
      </div>
      <EditorContent editor={editor} style={{ border: '1px solid #ccc' }} />
      <Facts of={f} />
    </>
  );
};
