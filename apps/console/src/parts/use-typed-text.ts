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
 * The text of a field whose value is in the address. What was typed since the last commit stays; any other change of the address, such as by Back,
 * replaces the text.
 */
export function useTypedText(options: Options): TypedText {
  const { value, delayMs } = options;
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(options);
  latest.current = options;
  const committed = useRef(value);
  // A layout effect: the next commit would otherwise come before the effect of this one, which would then look like a change from outside.
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
