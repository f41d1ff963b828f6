import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Options {
  /** The value in the address. */
  value: string;
  /** A text is committed when nothing was typed for so long (ms). */
  delayMs: number;
  onCommit: (value: string) => void;
  /** The value of a text. Undefined for a wrong text, which is not committed. */
  toValue?: (text: string) => string | undefined;
}

export interface TypedText {
  /** What the field shows. */
  typed: string;
  type: (text: string) => void;
  /** Commits a text without a delay. */
  commit: (text: string) => void;
}

/**
 * The text of a field whose value is in the address. The address gets the text when it is committed. The field keeps what was typed after that. If
 * the address changes in another way, for example by Back, the field shows the new value.
 */
export function useTypedText(options: Options): TypedText {
  const { value, delayMs } = options;
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(options);
  latest.current = options;
  const committed = useRef(value);
  // A layout effect runs before the next commit. A later effect would compare the value of this commit with the text of the next one.
  useLayoutEffect(() => {
    if (value !== committed.current) {
      clearTimeout(timer.current);
      setTyped(value);
    }
    committed.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const commit = (text: string) => {
    clearTimeout(timer.current);
    const { value: present, onCommit, toValue = (same) => same } = latest.current;
    const next = toValue(text);
    if (next === undefined || next === present) return;
    committed.current = next;
    onCommit(next);
  };
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => commit(text), delayMs);
  };
  return { typed, type, commit };
}
