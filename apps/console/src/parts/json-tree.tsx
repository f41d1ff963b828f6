import './json-tree.css';
import type { Json } from '@errand/contracts';
import { useState } from 'preact/hooks';
import { HostileText } from '../text/hostile-text.js';
import { formatCount } from './format.js';

/** Children of a list or object that are shown at first, and that are added each time. */
const SHOWN = 50;
const ADDED = 100;
/** More children of one list or object are not in the page: the first ones make place for others. */
const MOST_SHOWN = 200;
/** The whole value is open at first, and what is in it up to this depth if it has no more than so many children. */
const OPEN_DEPTH = 2;
const OPEN_SIZE = 20;
/** A value with more entries than this in what it holds opens alone. */
const MOST_OPEN = 100;
/** The characters of a text that are shown at first. */
const TEXT_CHARACTERS = 500;

/** A JSON value as a tree. Its keys and texts are hostile. Large parts are shown when the reader asks for them. */
export function JsonTree({ value, label = 'Value' }: { value: unknown; label?: string }) {
  return (
    <div class="json-tree" role="group" aria-label={label} tabIndex={0}>
      <Branch value={value as Json} depth={0} opensParts={partsOf(value as Json) <= MOST_OPEN} />
    </div>
  );
}

interface BranchProps {
  value: Json;
  depth: number;
  /** What it holds is open, too, if that is small. */
  opensParts: boolean;
  name?: string;
}

function Branch({ value, depth, name, opensParts }: BranchProps) {
  const size = sizeOf(value);
  const [isOpen, setOpen] = useState(depth === 0 || (opensParts && depth < OPEN_DEPTH && (size ?? 0) <= OPEN_SIZE));
  const [shown, setShown] = useState(SHOWN);
  if (size === undefined || size === 0) return <Leaf value={value} name={name} />;
  const isList = Array.isArray(value);
  const from = Math.max(0, shown - MOST_SHOWN);
  const children = isOpen ? entriesOf(value).slice(from, shown) : [];
  return (
    <div class="json-branch">
      <button type="button" class="json-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="json-arrow" aria-hidden="true">
          {isOpen ? '▾' : '▸'}
        </span>
        <Name name={name} />
        <span class="faint">{isList ? `[${formatCount(size)}]` : `{${formatCount(size)}}`}</span>
      </button>
      {isOpen && (
        <div class="json-children">
          {from > 0 && (
            <button type="button" class="link" onClick={() => setShown(Math.max(SHOWN, shown - ADDED))}>
              Show earlier ones
            </button>
          )}
          {children.map(([key, child]) => (
            <Branch key={key} name={key} value={child} depth={depth + 1} opensParts={opensParts} />
          ))}
          {size > shown && (
            <button type="button" class="link" data-testid="result-more" onClick={() => setShown(shown + ADDED)}>
              Show {formatCount(Math.min(size - shown, ADDED))} more of {formatCount(size)}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function Leaf({ value, name }: { value: Json; name: string | undefined }) {
  const kind = value === null ? 'null' : typeof value;
  return (
    <div class="json-leaf">
      <Name name={name} />
      <span class={`json-value json-${kind}`}>
        {typeof value === 'string' ? (
          <HostileText text={value} limit={TEXT_CHARACTERS} />
        ) : (
          <HostileText text={JSON.stringify(value) ?? 'undefined'} />
        )}
      </span>
    </div>
  );
}

function Name({ name }: { name: string | undefined }) {
  if (name === undefined) return null;
  return (
    <span class="json-name">
      <HostileText text={name} limit={120} />
      {': '}
    </span>
  );
}

function sizeOf(value: Json): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** The number of entries in the lists and objects that a value shows at first. */
function partsOf(value: Json): number {
  const sizes = entriesOf(value)
    .slice(0, SHOWN)
    .map(([, child]) => sizeOf(child) ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Own entries only: a key such as `__proto__` is shown like any other. */
function entriesOf(value: Json): [string, Json][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value);
}
