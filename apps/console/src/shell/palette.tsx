import { useLocation } from 'preact-iso';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/problems.js';
import { Dialog } from '../parts/dialog.js';
import { HostileText } from '../text/hostile-text.js';
import { PAGE_KIND, usePaletteEntries, type PaletteEntry } from './palette-entries.js';

/** Finds pages and things by name. Arrow keys move, Enter opens. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const { route } = useLocation();
  const list = useId();
  const { entries, isSearching, error } = usePaletteEntries(text);
  const current = Math.min(chosen, entries.length - 1);
  const options = useRef<HTMLUListElement>(null);
  useTypedAhead(options, (typed) => setText((before) => before + typed));
  useEffect(() => options.current?.children[current]?.scrollIntoView({ block: 'nearest' }), [current]);
  const go = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    onClose();
    route(entry.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const entry = entries[current];
    // A result of the text before may be another thing than the one that the reader has typed.
    if (event.key === 'Enter' && (!isSearching || entry?.kind === PAGE_KIND)) go(entry);
    if (step === undefined || entries.length === 0) return;
    event.preventDefault();
    setChosen((current + step + entries.length) % entries.length);
  };
  return (
    <Dialog title="Go to" testId="palette" onClose={onClose}>
      <input
        type="text"
        class="input palette-input"
        role="combobox"
        aria-label="Search pages, invocations, tools, agents, sessions, queues"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={entries.length > 0 ? `${list}-${current}` : undefined}
        autoFocus
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={list} ref={options} role="listbox" aria-label="Results" class="palette-list">
        {entries.map((entry, index) => (
          <li
            key={entry.path}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === current}
            onClick={() => go(entry)}
            onMouseMove={() => setChosen(index)}
          >
            <span class="palette-name">
              <HostileText text={entry.label} limit={120} isFixed />
              {entry.detail !== undefined && (
                <span class="mono faint">
                  <HostileText text={entry.detail} limit={80} isFixed />
                </span>
              )}
            </span>
            <span class="faint">{entry.kind}</span>
          </li>
        ))}
      </ul>
      {error !== undefined && (
        <p class="faint" role="status">
          <HostileText text={`Only pages are shown: ${messageOf(error)}`} />
        </p>
      )}
      {entries.length === 0 && error === undefined && (
        <p class="faint" role="status">
          {isSearching ? 'Searching …' : 'Nothing has this name, or an id that begins so.'}
        </p>
      )}
    </Dialog>
  );
}

/** Characters that are typed before the dialog is open, and has the focus, are for the dialog. */
function useTypedAhead(part: { current: HTMLElement | null }, take: (typed: string) => void): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isText || part.current?.closest('dialog')?.open) return;
      event.preventDefault();
      event.stopPropagation();
      take(event.key);
    };
    addEventListener('keydown', listen, true);
    return () => removeEventListener('keydown', listen, true);
  }, []);
}
