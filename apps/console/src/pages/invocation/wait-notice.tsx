import type { Invocation, Step } from '@errand/contracts';
import { formatCount, formatDuration, plural } from '../../parts/format.js';
import { TimeInText } from '../../parts/time-in-text.js';
import { whatToStart } from '../../parts/what-to-start.js';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';
import { pageOf } from './page-address.js';
import { isFinal } from '../../statuses.js';
import { isOperator } from '../../api/session.js';
import { queueOfWait, type QueueOfWait } from './wait-reason.js';

const SHOWN_WAITS = 10;

/** Why an invocation waits, for how long, and what is ahead of it. */
export function WaitNotice({ invocation }: { invocation: Invocation }) {
  const { queue, status } = invocation;
  const waits = isFinal(status) ? [] : invocation.steps.flatMap(waitsOf);
  if (!queue && waits.length === 0) return null;
  const more = waits.length - SHOWN_WAITS;
  return (
    <section class="notice why-waits" data-testid="why-waits" aria-label="Why it waits">
      {queue && (
        <p class="notice-title">
          Waiting: <TimeInText text={queue.waitingFor} />
        </p>
      )}
      {queue && <Advice about={queueOfWait(queue.waitingFor)} />}
      {queue && (status === 'queued' || queue.ahead !== null || queue.etaMs !== null) && (
        <dl class="facts">
          <dt>Ahead of it</dt>
          <dd data-testid="ahead">{queue.ahead === null ? 'unknown' : formatCount(queue.ahead)}</dd>
          <dt>Expected end</dt>
          <dd data-testid="eta">{queue.etaMs === null ? 'unknown' : `in ${formatDuration(queue.etaMs)}`}</dd>
        </dl>
      )}
      <ul class="waits">{waits.slice(0, SHOWN_WAITS).map((wait) => wait)}</ul>
      {more > 0 && (
        <p class="notice-text">
          It waits for {formatCount(more)} more {plural(more, 'thing', 'things')}; see the timeline.
        </p>
      )}
    </section>
  );
}

/** What to do about the queue of a wait, with the link to its page. */
function Advice({ about }: { about: QueueOfWait | undefined }) {
  if (!about) return null;
  const { name, state } = about;
  return (
    <p class="notice-text">
      {state === 'unserved' && `${whatToStart(name)} `}
      {state === 'paused' &&
        (isOperator.value ? 'Resume the queue on its page: ' : 'The operator can resume the queue: ')}
      {state !== 'paused' && 'Its queue is '}
      <a href={`/console/queues/${encodeURIComponent(name)}`}>
        <HostileText text={name} limit={120} isFixed />
      </a>
      .
    </p>
  );
}

const WORDS = {
  time: 'waits for a time',
  answer: 'waits for an answer',
  invocation: 'waits for another invocation',
  runner: 'waits for a script-runner',
} as const;

function waitsOf({ index, waiting, nodes = [] }: Step): preact.JSX.Element[] {
  const all = [{ nodeId: undefined, waiting }, ...nodes];
  return all.flatMap(({ nodeId, waiting: wait }) =>
    wait === undefined
      ? []
      : [
          <li key={`${index}/${nodeId ?? ''}`}>
            Step {index}
            {nodeId !== undefined && (
              <>
                , node <HostileText text={nodeId} limit={120} isFixed />,
              </>
            )}{' '}
            {WORDS[wait.for]}
            {wait.label !== undefined && (
              <>
                {' '}
                with the label <HostileText text={wait.label} limit={80} isFixed />
              </>
            )}
            {wait.invocationId !== undefined && (
              <>
                :{' '}
                <a href={pageOf(wait.invocationId)} class="mono">
                  <HostileText text={wait.invocationId} limit={60} isFixed />
                </a>
              </>
            )}
            {wait.until !== null && (
              <>
                , until <Time at={wait.until} withDistance />
              </>
            )}
            {wait.for === 'answer' && wait.invocationId === undefined && (
              <>
                . <a href="/console/inbox">Answer it in the inbox</a>
              </>
            )}
          </li>,
        ],
  );
}
