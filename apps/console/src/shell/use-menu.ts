import { useEffect, useRef, useState } from 'preact/hooks';

/** The navigation of a narrow page, which a button shows. `Esc` and another page close it. */
export function useMenu(path: string) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => setOpen(false), [path]);
  useEffect(() => {
    if (!isOpen) return undefined;
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape' || document.querySelector('dialog[open]')) return;
      setOpen(false);
      button.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOpen]);
  return { isOpen, button, toggle: () => setOpen(!isOpen) };
}
