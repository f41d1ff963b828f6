import type { Invocation } from '@errand/contracts';
import { InvocationLink } from '../../parts/invocation-link.js';

const SHOWN = 5;

/** Says which steps did not run, because an equal call of the session had taken effect already. */
export function DeduplicatedNotice({ invocation: { steps } }: { invocation: Invocation }) {
  const found = steps.flatMap(({ index, deduplicatedFrom }) => (deduplicatedFrom ? [{ index, deduplicatedFrom }] : []));
  if (found.length === 0) return null;
  const more = found.length - SHOWN;
  return (
    <section class="notice" data-testid="deduplicated" aria-label="Not run again">
      <ul>
        {found.slice(0, SHOWN).map(({ index, deduplicatedFrom: { invocationId } }) => (
          <li key={index}>
            {steps.length > 1 && `Step ${index}: `}Not run again: <InvocationLink id={invocationId} /> did it in this
            session, and its result is used.
          </li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
    </section>
  );
}
