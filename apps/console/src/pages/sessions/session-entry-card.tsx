import type { ComponentChildren } from 'preact';
import { formatCount } from '../../parts/format.js';
import { InvocationLink } from '../../parts/invocation-link.js';
import { ShapeIcon, StatusMark } from '../../parts/status-mark.js';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';
import {
  AUTHORS,
  type AuthoredMessage,
  type SessionEntry,
  type SessionInvocation,
  type SessionRefusal,
} from './session-entries.js';

/** How much of a text a session shows at first. The rest is offered. */
const SHOWN = 600;
const SHOWN_STEPS = 10;

/** One entry of a session. */
export function SessionEntryCard({ entry }: { entry: SessionEntry }) {
  if (entry.kind === 'message') return <MessageEntry message={entry.message} />;
  if (entry.kind === 'refusal') return <RefusalEntry refusal={entry.refusal} />;
  return <InvocationEntry invocation={entry.invocation} />;
}

function MessageEntry({ message }: { message: AuthoredMessage }) {
  const { role, content, agent, at, invocationId } = message;
  return (
    <li class={`panel session-entry session-${role}`} data-testid="session-message" data-role={role}>
      <header class="session-head">
        <h2>{AUTHORS[role]}</h2>
        {agent !== undefined && <HostileText text={agent} limit={80} isFixed />}
        <InvocationLink id={invocationId} />
        <Time at={at} />
      </header>
      {content !== '' && <Text label={null} text={content} />}
      {(message.toolCalls ?? []).map(({ id, function: { name, arguments: args } }) => (
        <Call key={id} toolId={name} args={args} />
      ))}
    </li>
  );
}

function InvocationEntry({ invocation }: { invocation: SessionInvocation }) {
  const { id, status, createdAt, agent, responseText, steps, error, observation } = invocation;
  const rest = steps.length - SHOWN_STEPS;
  return (
    <li class="panel session-entry" data-testid="session-invocation" data-id={id} data-status={status}>
      <header class="session-head">
        <h2>{invocation.parent ? 'Calls of a turn' : 'Submission'}</h2>
        <StatusMark status={status} />
        {agent !== null && <HostileText text={agent} limit={80} isFixed />}
        <InvocationLink id={id} />
        <Time at={createdAt} />
      </header>
      {responseText !== null && responseText !== '' && <Text label="Text" text={responseText} />}
      {steps.slice(0, SHOWN_STEPS).map((step) => (
        <Call key={step.index} toolId={step.toolId} args={JSON.stringify(step.arguments)}>
          {step.deduplicatedFrom && (
            <span class="faint">
              Not run again: <InvocationLink id={step.deduplicatedFrom.invocationId} /> did it
            </span>
          )}
        </Call>
      ))}
      {rest > 0 && <p class="faint">and {formatCount(rest)} more calls</p>}
      {observation !== null && observation !== '' && <Text label="Observation" text={observation} />}
      {error && observation === null && (
        <p class="field-error">
          <HostileText text={`${error.type}: ${error.message}`} limit={SHOWN} />
        </p>
      )}
    </li>
  );
}

function RefusalEntry({ refusal }: { refusal: SessionRefusal }) {
  const { id, at, code, text, observation, recoveredBy } = refusal;
  return (
    <li class="panel session-entry session-refusal" data-testid="session-refusal" data-id={id} data-code={code}>
      <header class="session-head">
        <h2>Refused</h2>
        <span class="status tone-bad">
          <ShapeIcon shape="cross" />
          {code.replaceAll('_', ' ')}
        </span>
        <a href={`/console/refusals/${encodeURIComponent(id)}`}>See the error in its place</a>
        <Time at={at} />
      </header>
      <Text label="Text" text={text} />
      {observation !== null && <Text label="Observation" text={observation} />}
      {recoveredBy !== null && (
        <p>
          The model recovered with <InvocationLink id={recoveredBy} />.
        </p>
      )}
    </li>
  );
}

function Text({ label, text }: { label: string | null; text: string }) {
  return (
    <div class="session-text">
      {label !== null && <h3>{label}</h3>}
      <pre>
        <HostileText text={text} limit={SHOWN} />
      </pre>
    </div>
  );
}

function Call({ toolId, args, children }: { toolId: string; args: string; children?: ComponentChildren }) {
  return (
    <div class="session-call" data-testid="session-call">
      <strong>
        <HostileText text={toolId} limit={120} isFixed />
      </strong>{' '}
      <code>
        <HostileText text={args} limit={SHOWN} />
      </code>{' '}
      {children}
    </div>
  );
}
