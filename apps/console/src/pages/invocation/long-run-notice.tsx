import type { Invocation } from '@errand/contracts';
import { now } from '../../parts/clock.js';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';
import { longRuns } from './long-runs.js';

const SHOWN = 3;

/** Names the nodes that have run for long, and says what one can do. */
export function LongRunNotice({ invocation }: { invocation: Invocation }) {
  const found = longRuns(invocation, now.value);
  if (found.length === 0) return null;
  return (
    <section class="notice" data-testid="long-run" aria-label="Runs for long">
      <ul>
        {found.slice(0, SHOWN).map(({ nodeId, type, step, startedAt }) => (
          <li key={`${step}/${nodeId}`}>
            Node <HostileText text={nodeId} limit={120} isFixed /> (<HostileText text={type} limit={120} isFixed />)
            {invocation.steps.length > 1 && ` of step ${step}`} has run since <Time at={startedAt} withDistance />.
          </li>
        ))}
        {found.length > SHOWN && <li>{found.length - SHOWN} more nodes have run for long; see the timeline.</li>}
      </ul>
      <p class="notice-text">
        If it hangs, cancel the invocation. Then retry it, with other arguments if they are the cause.
      </p>
    </section>
  );
}
