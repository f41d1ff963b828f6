import type { JobInHand } from '@errand/contracts';
import { HostileText } from '../text/hostile-text.js';

/** A link to the invocation of a job, with its step if it is one of several. */
export function JobLink({ job }: { job: JobInHand }) {
  const { invocationId, step } = job;
  return (
    <a class="mono" href={`/console/invocations/${encodeURIComponent(invocationId)}`}>
      <HostileText text={invocationId} limit={80} isFixed />
      {step !== null && step > 0 && ` step ${step}`}
    </a>
  );
}
