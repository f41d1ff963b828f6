import type { EffectEntry } from '@errand/contracts';
import { LastItems } from '../../parts/in-parts.js';
import { InvocationLink } from '../../parts/invocation-link.js';
import { StatusMark } from '../../parts/status-mark.js';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';

/** An effect with more equal calls shows the newest ones. */
const MOST_REPEATS = 10;

/** One effect: what was done, by which step, and the equal calls that got its result. */
export function EffectCard({ entry }: { entry: EffectEntry }) {
  const { session, toolId, arguments: args, invocationId, step, status, at, repeats } = entry;
  return (
    <li class="panel panel-body effect" data-testid="effect" data-repeats={repeats.length}>
      <header class="effect-head">
        <h2>
          <HostileText text={toolId} />
        </h2>
        {status === null ? (
          <span class="faint">Its invocation is not stored any more</span>
        ) : (
          <StatusMark status={status} />
        )}
      </header>
      <dl class="facts">
        <dt>Arguments</dt>
        <dd>
          {args === null ? (
            <span class="faint">Too long for the ledger; the step has them</span>
          ) : (
            <code>
              <HostileText text={JSON.stringify(args)} limit={400} />
            </code>
          )}
        </dd>
        <dt>Session</dt>
        <dd>
          <a href={`/console/sessions/${encodeURIComponent(session)}`}>
            <HostileText text={session} limit={120} isFixed />
          </a>
        </dd>
        <dt>Done by</dt>
        <dd>
          <InvocationLink id={invocationId} />, step {step}, <Time at={at} withDistance />
        </dd>
        <dt>Repeats</dt>
        <dd>
          <Repeats repeats={repeats} />
        </dd>
      </dl>
    </li>
  );
}

function Repeats({ repeats }: { repeats: EffectEntry['repeats'] }) {
  if (repeats.length === 0) return <span class="faint">The call was made once</span>;
  const count = repeats.length === 1 ? 'One equal call' : `${repeats.length} equal calls`;
  return (
    <details open={repeats.length <= 3}>
      <summary>{count} did not run again</summary>
      <LastItems items={repeats} most={MOST_REPEATS} label="calls">
        {(newest) => (
          <ul class="effect-repeats">
            {newest.map(({ invocationId, step, at }) => (
              <li key={`${invocationId} ${step}`} data-testid="repeat">
                <InvocationLink id={invocationId} />, step {step}, <Time at={at} />
              </li>
            ))}
          </ul>
        )}
      </LastItems>
    </details>
  );
}
