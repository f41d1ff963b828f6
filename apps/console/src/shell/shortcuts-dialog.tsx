import { Dialog } from '../parts/dialog.js';
import { ROUTES } from '../routes.js';
import { setSingleKeys, singleKeys } from './single-keys.js';

const EVERYWHERE: readonly (readonly [string, string])[] = [
  ['Ctrl K or ⌘ K', 'Search, or go to a page'],
  ['/', 'First filter'],
  ['?', 'These shortcuts'],
  ['[ and ]', 'Previous and next tab'],
  ['f', 'Follow a log'],
  ['Esc', 'Close, and go back to where the focus was'],
];
const IN_LISTS: readonly (readonly [string, string])[] = [
  ['j k or arrows', 'Next and previous row'],
  ['Home, End, Page keys', 'Move far'],
  ['Enter', 'Open the row'],
  ['x or Space', 'Select the row; with Shift, all up to it'],
];

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const pages = ROUTES.flatMap(({ key, title }) => (key === undefined ? [] : [[`g ${key}`, title] as const]));
  return (
    <Dialog title="Keyboard shortcuts" testId="shortcuts" onClose={onClose}>
      <label class="check">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
        Single keys do something
      </label>
      <KeyTable title="Everywhere" rows={EVERYWHERE} />
      <KeyTable title="Pages" rows={pages} />
      <KeyTable title="Lists" rows={IN_LISTS} />
    </Dialog>
  );
}

function KeyTable({ title, rows }: { title: string; rows: readonly (readonly [string, string])[] }) {
  return (
    <section class="keys">
      <h3>{title}</h3>
      <dl>
        {rows.map(([keys, effect]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
