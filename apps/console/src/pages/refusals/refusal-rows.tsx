import type { Refusal } from '@errand/contracts';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';
import '../../source/source.css';

const SHOWN_MESSAGE = 160;

/** Refused submissions, each with its first error and whether its session recovered. */
export function RefusalRows({ items }: { items: readonly Refusal[] }) {
  return (
    <ul class="refusal-rows">
      {items.map((refusal) => (
        <RefusalRow key={refusal.id} refusal={refusal} />
      ))}
    </ul>
  );
}

function RefusalRow({ refusal }: { refusal: Refusal }) {
  const { id, at, code, toolIds, agent, session, errors, recoveredBy } = refusal;
  const [first] = errors;
  return (
    <li class="refusal-row" data-testid="refusal" data-id={id} data-code={code}>
      <div class="refusal-main">
        <a class="refusal-link" href={`/console/refusals/${encodeURIComponent(id)}`} data-testid="row-link">
          <span class="tag tag-bad">{code.replaceAll('_', ' ')}</span>
          <HostileText text={toolIds[0] ?? 'no tool'} limit={80} isFixed />
          {toolIds.length > 1 && <span class="faint"> and {toolIds.length - 1} more</span>}
        </a>
        <p class="refusal-message">
          <HostileText text={first?.message ?? 'No error is kept'} limit={SHOWN_MESSAGE} isFixed />
        </p>
      </div>
      <div class="refusal-facts">
        <span>
          {agent !== null && <HostileText text={agent} limit={40} isFixed />}
          {agent !== null && session !== null && ' · '}
          {session !== null && (
            <a href={`/console/sessions/${encodeURIComponent(session)}`}>
              <HostileText text={session} limit={40} isFixed />
            </a>
          )}
        </span>
        <Recovery recoveredBy={recoveredBy} />
        <Time at={at} />
      </div>
    </li>
  );
}

/** Whether the same session called the tool rightly afterwards. */
export function Recovery({ recoveredBy }: Pick<Refusal, 'recoveredBy'>) {
  if (recoveredBy === null) return <span class="tag tag-plain">not recovered</span>;
  return (
    <a class="tag tag-good" href={`/console/invocations/${encodeURIComponent(recoveredBy)}`} data-testid="recovered-by">
      recovered
    </a>
  );
}
