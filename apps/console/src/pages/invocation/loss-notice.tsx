import type { Loss } from './losses.js';
import { Time } from '../../parts/time.js';
import { ProcessLink } from './process-link.js';

const KINDS = { api: 'API', worker: 'worker', runner: 'script-runner' };
const SHOWN = 5;

/** Names the processes that were lost while they ran the invocation, and says what has become of their work. */
export function LossNotice({ losses }: { losses: readonly Loss[] }) {
  if (losses.length === 0) return null;
  return (
    <section class="notice" data-testid="lost-attempts" aria-label="Lost processes">
      <ul>
        {losses.slice(-SHOWN).map(({ process, kind, at, step, now, successor }) => (
          <li key={`${process} ${at} ${step}`}>
            The {KINDS[kind]} <ProcessLink id={process} /> was lost while it ran this
            {step !== null && step > 0 && ` (step ${step})`}. Its last heartbeat came at <Time at={at} withDistance />.{' '}
            {now === 'in-hand' && 'Its work has not been put back yet.'}
            {now === 'waiting' && 'Its work waits to begin again.'}
            {now === 'taken-over' && successor !== null && (
              <>
                Now <ProcessLink id={successor} /> runs it.
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
