import type { CallPlaces, JsonObject, TextRange, ValuePlace } from '@errand/contracts';
import { formatCount, plural } from '../parts/format.js';
import { InParts } from '../parts/in-parts.js';
import { HostileText } from '../text/hostile-text.js';
import { markedString } from '../text/mark-text.js';
import { pointerTo } from './text-marks.js';
import './source.css';

/** A call of a text: what the tool gets, and where that is written. */
export interface ShownCall extends Partial<CallPlaces> {
  index: number;
  toolId: string;
  version?: string | undefined;
  arguments: JsonObject;
}

/** How much of a value one line shows. */
const SHOWN_VALUE = 400;
/** So many calls are in the page at a time, with so many arguments and repairs of each. */
const SHOWN_CALLS = 15;
const SHOWN_ARGUMENTS = 15;
const SHOWN_REPAIRS = 5;

/** The calls of a text. Each argument leads to its place. */
export function CallList({
  calls,
  onChoose,
}: {
  calls: readonly ShownCall[];
  onChoose?: ((range: TextRange) => void) | undefined;
}) {
  return (
    <InParts items={calls} at="calls" size={SHOWN_CALLS} label="calls">
      {(part) => (
        <ol class="call-list">
          {part.map((call) => (
            <CallCard key={call.index} call={call} onChoose={onChoose} />
          ))}
        </ol>
      )}
    </InParts>
  );
}

interface CallProps {
  call: ShownCall;
  onChoose?: ((range: TextRange) => void) | undefined;
}

function CallCard({ call, onChoose }: CallProps) {
  const { index, toolId, version, place } = call;
  return (
    <li class="panel call-card" data-testid="call" data-index={index}>
      <header class="call-head">
        <span class="faint">{index + 1}</span>
        <h3>
          <HostileText text={toolId} />
        </h3>
        {version !== undefined && <span class="faint">{version}</span>}
        {place && onChoose && <PlaceButton range={place} name="the call" onChoose={onChoose} />}
      </header>
      <Arguments call={call} onChoose={onChoose} />
    </li>
  );
}

function Arguments({ call, onChoose }: CallProps) {
  const names = Object.keys(call.arguments);
  if (names.length === 0) return <p class="faint">No arguments</p>;
  const more = names.length - SHOWN_ARGUMENTS;
  const places = new Map(Object.entries(call.places ?? {}));
  return (
    <>
      <dl class="call-arguments">
        {names.slice(0, SHOWN_ARGUMENTS).map((name) => (
          <Argument key={name} call={call} name={name} places={places} onChoose={onChoose} />
        ))}
      </dl>
      {more > 0 && (
        <p class="faint" data-testid="not-shown">
          And {formatCount(more)} more {plural(more, 'argument', 'arguments')}, which the text has.
        </p>
      )}
    </>
  );
}

interface ArgumentProps extends CallProps {
  name: string;
  places: ReadonlyMap<string, ValuePlace>;
}

function Argument({ call, name, places, onChoose }: ArgumentProps) {
  const pointer = pointerTo(name);
  const place = places.get(pointer);
  const repairs = [...places].filter(([path, { repair }]) => repair !== undefined && isAt(path, pointer));
  const more = repairs.length - SHOWN_REPAIRS;
  return (
    <div class="call-argument">
      <dt>
        <HostileText text={name} limit={200} />
      </dt>
      <dd>
        <code class="call-value">
          <HostileText text={shownValue(call.arguments, name)} limit={SHOWN_VALUE} />
        </code>
        {place && onChoose && <PlaceButton range={place} name={name} onChoose={onChoose} />}
        {repairs.slice(0, SHOWN_REPAIRS).map(([path, { repair = '', raw }]) => (
          <p key={path} class="call-repair" data-testid="repair" data-path={path}>
            <span class="tag tag-repair">repaired</span> <HostileText text={repair} />{' '}
            <span class="faint">
              written as <HostileText text={raw} limit={120} isFixed />
            </span>
          </p>
        ))}
        {more > 0 && (
          <p class="faint">
            And {formatCount(more)} more {plural(more, 'repair, which is', 'repairs, which are')} marked in the text.
          </p>
        )}
      </dd>
    </div>
  );
}

function isAt(path: string, pointer: string): boolean {
  return path === pointer || path.startsWith(`${pointer}/`);
}

function shownValue(values: JsonObject, name: string): string {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return JSON.stringify(value) ?? 'undefined';
}

/** Shows where something is written. */
export function PlaceButton({
  range,
  name,
  onChoose,
}: {
  range: TextRange;
  name: string;
  onChoose: (range: TextRange) => void;
}) {
  const { line, column } = range;
  return (
    <button
      type="button"
      class="place-button"
      title={`Line ${line}, column ${column}`}
      aria-label={`${line}:${column}, show where ${markedString(name.slice(0, 100))} is written`}
      onClick={() => onChoose(range)}
    >
      {line}:{column}
    </button>
  );
}
