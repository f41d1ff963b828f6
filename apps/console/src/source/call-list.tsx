import type { CallPlaces, JsonObject, TextRange } from '@errand/contracts';
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

/** The calls of a text. Each argument leads to its place. */
export function CallList({
  calls,
  onChoose,
}: {
  calls: readonly ShownCall[];
  onChoose?: ((range: TextRange) => void) | undefined;
}) {
  return (
    <ol class="call-list">
      {calls.map((call) => (
        <li key={call.index} class="panel call-card" data-testid="call" data-index={call.index}>
          <header class="call-head">
            <span class="faint">{call.index + 1}</span>
            <h3>
              <HostileText text={call.toolId} />
            </h3>
            {call.version !== undefined && <span class="faint">{call.version}</span>}
            {call.place && onChoose && <PlaceButton range={call.place} name="the call" onChoose={onChoose} />}
          </header>
          <Arguments call={call} onChoose={onChoose} />
        </li>
      ))}
    </ol>
  );
}

function Arguments({ call, onChoose }: { call: ShownCall; onChoose?: ((range: TextRange) => void) | undefined }) {
  const names = Object.keys(call.arguments);
  if (names.length === 0) return <p class="faint">No arguments</p>;
  const places = new Map(Object.entries(call.places ?? {}));
  return (
    <dl class="call-arguments">
      {names.map((name) => {
        const pointer = pointerTo(name);
        const place = places.get(pointer);
        const repairs = [...places].filter(([path, { repair }]) => repair !== undefined && isAt(path, pointer));
        return (
          <div key={name} class="call-argument">
            <dt>
              <HostileText text={name} limit={200} />
            </dt>
            <dd>
              <code class="call-value">
                <HostileText text={shownValue(call.arguments, name)} limit={SHOWN_VALUE} />
              </code>
              {place && onChoose && <PlaceButton range={place} name={name} onChoose={onChoose} />}
              {repairs.map(([path, { repair = '', raw }]) => (
                <p key={path} class="call-repair" data-testid="repair" data-path={path}>
                  <span class="tag tag-repair">repaired</span> <HostileText text={repair} />{' '}
                  <span class="faint">
                    written as <HostileText text={raw} limit={120} isFixed />
                  </span>
                </p>
              ))}
            </dd>
          </div>
        );
      })}
    </dl>
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
