import { start } from '../shared.jsx';
import { CodeMirrorPart } from './codemirror.jsx';
import { MonacoPart } from './monaco.jsx';
import { TiptapPart } from './tiptap.jsx';

start({ codemirror: CodeMirrorPart, monaco: MonacoPart, tiptap: TiptapPart });
