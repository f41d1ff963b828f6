import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { loadChunk } from '../../load-chunk.js';
import type { TextEditor } from '../../source/text-editor.js';
import type { TextMark } from '../../source/text-marks.js';

/** What the page does with the editor. */
export type EditorHandle = Pick<TextEditor, 'select' | 'setText'>;

interface Props {
  handle: RefObject<EditorHandle | null>;
  /** The text at first. Afterwards the editor has it: a text that came back from the page would undo what was typed meanwhile. */
  text: string;
  /** Undefined while the text is being read: the present marks stay. */
  marks: readonly TextMark[] | undefined;
  onChange: (text: string) => void;
  /** Applies the first fix. */
  onFix: () => void;
  onRun: () => void;
}

const HINT = 'Paste or write a text with an <ACTION> or TAM block';

/** The editor of a text. Its code comes in a chunk of its own. */
export function EditorBox({ handle, text, marks, onChange, onFix, onRun }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<TextEditor | undefined>(undefined);
  const [failure, setFailure] = useState<{ error: unknown }>();
  const latest = useRef({ text, marks, onChange, onFix, onRun });
  latest.current = { text, marks, onChange, onFix, onRun };
  useEffect(() => {
    let isLeft = false;
    const open = async () => {
      const { openEditor } = await loadChunk(() => import('../../source/text-editor.js'));
      if (isLeft || !host.current) return;
      const opened = openEditor(host.current, {
        text: latest.current.text,
        label: 'Text of a model',
        testId: 'try-text',
        hint: HINT,
        onChange: (next) => latest.current.onChange(next),
        keys: { 'Mod-.': () => latest.current.onFix(), 'Mod-Enter': () => latest.current.onRun() },
      });
      opened.setMarks(latest.current.marks ?? []);
      editor.current = opened;
      handle.current = opened;
    };
    void open().catch((error: unknown) => !isLeft && setFailure({ error }));
    return () => {
      isLeft = true;
      editor.current?.close();
    };
  }, []);
  useEffect(() => {
    if (marks) editor.current?.setMarks(marks);
  }, [marks]);
  if (failure) throw failure.error;
  return (
    <>
      <div ref={host} class="editor" />
      <p class="faint editor-keys">
        <kbd>Ctrl</kbd> <kbd>.</kbd> applies the first fix, <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs the text.
      </p>
    </>
  );
}
