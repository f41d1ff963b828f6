import type { JobInHand, JobLeft, ShownProcess } from '@errand/contracts';
import { formatCount } from '../../parts/format.js';
import { JobLink } from '../../parts/job-link.js';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';

/** A process with more jobs shows its oldest ones. */
const MOST_SHOWN = 12;

interface Props {
  process: ShownProcess;
  /** Where another process is shown. Undefined if it is not in the list. */
  addressOf: (id: string) => string | undefined;
}

/** The jobs that a process runs; of a lost one, the jobs that it had and where they are now. */
export function InHandList({ process: { state, inHand, left = [], kind }, addressOf }: Props) {
  if (kind === 'api') return null;
  const isLost = state === 'lost';
  const jobs: readonly (JobInHand | JobLeft)[] = isLost ? left : inHand;
  return (
    <div class="in-hand" data-testid="in-hand">
      <h3>{isLost ? 'Where its work went' : 'In hand'}</h3>
      {jobs.length === 0 ? (
        <p class="faint">{emptyText(state)}</p>
      ) : (
        <ul>
          {jobs.slice(0, MOST_SHOWN).map((job, index) => (
            <li key={`${job.invocationId} ${job.step} ${index}`}>
              <JobLink job={job} />
              {job.toolId !== null && <HostileText text={job.toolId} limit={80} isFixed />}
              {'now' in job ? <Whereabouts job={job} addressOf={addressOf} /> : <Time at={job.since} withDistance />}
            </li>
          ))}
        </ul>
      )}
      {jobs.length > MOST_SHOWN && <p class="faint">and {formatCount(jobs.length - MOST_SHOWN)} more</p>}
    </div>
  );
}

function emptyText(state: ShownProcess['state']): string {
  if (state === 'lost') return 'It had no job, or all of them had ended.';
  return state === 'draining' ? 'It has no job any more. You can end it now.' : 'It has no job now.';
}

function Whereabouts({ job, addressOf }: { job: JobLeft } & Pick<Props, 'addressOf'>) {
  if (job.now === 'taken-over' && job.process !== null) {
    const address = addressOf(job.process);
    const name = <HostileText text={job.process} limit={80} isFixed />;
    return <span>now at {address === undefined ? name : <a href={address}>{name}</a>}</span>;
  }
  const words = {
    'in-hand': 'not put back yet',
    waiting: 'waits to start again',
    'taken-over': 'taken over',
    gone: 'has ended',
  };
  return <span class="faint">{words[job.now]}</span>;
}
