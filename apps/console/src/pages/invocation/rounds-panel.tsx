import type { Invocation, Round, RoundCall } from '@errand/contracts';
import { formatCount } from '../../parts/format.js';
import { InParts, PART } from '../../parts/in-parts.js';
import { JsonTree } from '../../parts/json-tree.js';
import { EmptyNotice } from '../../parts/notices.js';
import { StatusMark } from '../../parts/status-mark.js';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';
import { pageOf } from './page-address.js';

/** Rounds that are in the page at a time, and calls of each. */
const SHOWN_ROUNDS = 5;
const SHOWN_CALLS = 10;

/** The rounds of a turn: what the model wrote, which calls followed, and what it read about them. */
export function RoundsPanel({ invocation }: { invocation: Invocation }) {
  const rounds = invocation.steps.flatMap((step) => step.rounds ?? []);
  if (rounds.length === 0)
    return <EmptyNotice title="No round has begun">The first one begins when the model is asked.</EmptyNotice>;
  return (
    <div class="stack">
      <InParts items={rounds} at={PART} size={SHOWN_ROUNDS} label="rounds">
        {(part) => (
          <ol class="stack rounds">
            {part.map((round) => (
              <RoundCard key={round.index} round={round} />
            ))}
          </ol>
        )}
      </InParts>
    </div>
  );
}

function RoundCard({ round }: { round: Round }) {
  const { index, status, text, reasoning, calls, invocationId, observation, usage, startedAt } = round;
  return (
    <li class="panel panel-body stack round" data-testid="round" data-round={index}>
      <div class="delivery-head">
        <h2>Round {index + 1}</h2>
        <StatusMark status={status === 'refused' ? 'failed' : status} />
        {status === 'refused' && <span class="faint">The answer of the model was refused.</span>}
        <Time at={startedAt} />
      </div>
      {usage && (
        <p class="faint">
          {Object.entries(usage)
            .slice(0, 8)
            .map(([name, count]) => (
              <span key={name} class="round-usage">
                <HostileText text={name} limit={60} isFixed />: {formatCount(count)}
              </span>
            ))}
        </p>
      )}
      {reasoning !== undefined && <Text title="Reasoning" text={reasoning} />}
      {text !== '' && <Text title="Text of the model" text={text} />}
      {calls.length > 0 && <Calls calls={calls} />}
      {invocationId !== undefined && (
        <p>
          The calls ran as{' '}
          <a href={pageOf(invocationId)} class="mono">
            {invocationId}
          </a>
        </p>
      )}
      {observation !== undefined && <Text title="Observation" text={observation} />}
    </li>
  );
}

function Text({ title, text }: { title: string; text: string }) {
  return (
    <div class="step-part">
      <h3>{title}</h3>
      <pre class="json-text" tabIndex={0} role="group" aria-label={title}>
        <HostileText text={text} />
      </pre>
    </div>
  );
}

function Calls({ calls }: { calls: readonly RoundCall[] }) {
  return (
    <div class="step-part">
      <h3>Calls</h3>
      {calls.slice(0, SHOWN_CALLS).map(({ callId, toolId, status, arguments: args, error }) => (
        <div key={callId} class="round-call">
          <div class="delivery-head">
            <code>
              <HostileText text={toolId} limit={200} />
            </code>
            <StatusMark status={status} />
          </div>
          <JsonTree value={args} label="Arguments" />
          {error && (
            <p class="field-error">
              <HostileText text={`${error.type}: ${error.message}`} />
            </p>
          )}
        </div>
      ))}
      {calls.length > SHOWN_CALLS && <p class="faint">And {calls.length - SHOWN_CALLS} more, which the tab Raw has.</p>}
    </div>
  );
}
