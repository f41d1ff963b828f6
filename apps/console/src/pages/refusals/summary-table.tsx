import type { RefusalGroup, RefusalSummary } from '@errand/contracts';
import { formatCount } from '../../parts/format.js';
import { InParts } from '../../parts/in-parts.js';
import { HostileText } from '../../text/hostile-text.js';

interface Group {
  name: RefusalGroup;
  title: string;
}

/** What refusals are counted by, the usual one first. */
export const GROUPS = [
  { name: 'tool', title: 'Tool' },
  { name: 'parameter', title: 'Parameter' },
  { name: 'code', title: 'Error' },
  { name: 'agent', title: 'Agent' },
] as const satisfies readonly Group[];

/** The name in the query of the address for the part of the keys. */
export const KEYS_PART = 'keys';

const FIRST_ROWS = 8;
/** Keys that are not values of a filter. */
const SPECIAL: ReadonlySet<string> = new Set(['(none)', 'other']);

interface Props {
  items: readonly RefusalSummary[];
  by: Group;
  isWhole: boolean;
  onWhole: () => void;
  onFilter: (changes: Record<string, string>) => void;
}

/** The counts of refusals with the parts that were refused and that recovered. */
export function SummaryTable({ items, by, isWhole, onWhole, onFilter }: Props) {
  const most = Math.max(1, ...items.map(({ refused }) => refused));
  const shown = isWhole ? items : items.slice(0, FIRST_ROWS);
  const table = (part: readonly RefusalSummary[]) => (
    <div class="table-scroll" tabIndex={0} role="group" aria-label={`Refusals by ${by.title.toLowerCase()}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{by.title}</th>
            <th scope="col">Refused</th>
            <th scope="col" class="number">
              Of all calls
            </th>
            <th scope="col" class="number">
              Recovered
            </th>
            <th scope="col">Newest</th>
          </tr>
        </thead>
        <tbody>
          {part.map(({ key, refused, accepted, recovered, sample }) => (
            <tr key={key} data-testid="summary-row" data-key={key}>
              <td>
                <KeyCell value={key} by={by.name} onFilter={onFilter} />
              </td>
              <td>
                <span class="meter">
                  <span class="meter-count">{formatCount(refused)}</span>
                  <meter min={0} max={most} value={refused} aria-hidden="true" />
                </span>
              </td>
              <td class="number">{share(refused, refused + accepted)}</td>
              <td class="number">
                {share(recovered, refused)} <span class="faint">({formatCount(recovered)})</span>
              </td>
              <td>
                <a href={`/console/refusals/${encodeURIComponent(sample)}`}>Open</a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
  return (
    <>
      <InParts items={shown} at={KEYS_PART} label="keys">
        {table}
      </InParts>
      {shown.length < items.length && (
        <button type="button" class="button summary-more" onClick={onWhole}>
          Show all {formatCount(items.length)}
        </button>
      )}
    </>
  );
}

/** The key filters the list below, where the list has such a filter. */
function KeyCell({
  value,
  by,
  onFilter,
}: {
  value: string;
  by: RefusalGroup;
  onFilter: (changes: Record<string, string>) => void;
}) {
  const [toolId, parameter] = by === 'parameter' ? splitParameter(value) : [value, undefined];
  const name = by === 'tool' || by === 'parameter' ? 'toolId' : by;
  const text = (
    <>
      <HostileText text={toolId} limit={200} isFixed />
      {parameter !== undefined && (
        <>
          <span class="faint"> / </span>
          <strong>
            <HostileText text={parameter} limit={200} isFixed />
          </strong>
        </>
      )}
    </>
  );
  if (SPECIAL.has(value)) return <span class="faint">{value === 'other' ? 'all others' : 'none'}</span>;
  return (
    <button type="button" class="link" onClick={() => onFilter({ [name]: toolId })}>
      {text}
    </button>
  );
}

/** `<tool id>/<name>`, with the name escaped as in a JSON Pointer. */
function splitParameter(key: string): [string, string] {
  const slash = key.lastIndexOf('/');
  return [
    key.slice(0, slash),
    key
      .slice(slash + 1)
      .replaceAll('~1', '/')
      .replaceAll('~0', '~'),
  ];
}

function share(part: number, all: number): string {
  return all === 0 ? '–' : `${Math.round((part / all) * 100)} %`;
}
