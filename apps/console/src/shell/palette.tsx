import { useLocation } from 'preact-iso';
import { useId, useState } from 'preact/hooks';
import { features } from '../api/session.js';
import { Dialog } from '../parts/dialog.js';
import { isPresent, ROUTES } from '../routes.js';
import { HostileText } from '../text/hostile-text.js';

export interface PaletteEntry {
  /** What the entry is: `Page`, `Tool`, … */
  kind: string;
  label: string;
  path: string;
}

/** Finds pages and things by name. Arrow keys move, Enter opens. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const { route } = useLocation();
  const list = useId();
  const entries = pagesNamed(text);
  const current = Math.min(chosen, entries.length - 1);
  const go = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    onClose();
    route(entry.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') go(entries[current]);
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
      <ul id={list} role="listbox" aria-label="Results" class="palette-list">
        {entries.map((entry, index) => (
          <li
            key={entry.path}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === current}
            onClick={() => go(entry)}
            onMouseMove={() => setChosen(index)}
          >
            <HostileText text={entry.label} limit={120} isFixed />
            <span class="faint">{entry.kind}</span>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p class="faint">Nothing has this name.</p>}
    </Dialog>
  );
}

function pagesNamed(text: string): PaletteEntry[] {
  const wanted = text.trim().toLowerCase();
  return ROUTES.filter((route) => route.group !== undefined && isPresent(route, features()))
    .filter(({ title }) => title.toLowerCase().includes(wanted))
    .map(({ title, path }) => ({ kind: 'Page', label: title, path: path === '/console' ? '/console/' : path }));
}
