import type { InboxItem } from '@errand/contracts';
import { JsonText } from '../../parts/json-text.js';
import { now } from '../../parts/clock.js';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';
import { markedString } from '../../text/mark-text.js';
import { AnswerForm, TakenNotice } from './answer-form.js';

/** A question whose deadline is nearer than this is marked. */
const URGENT_MS = 5 * 60_000;

interface Props {
  item: InboxItem;
  isGone: boolean;
  /** Its form is there. */
  isOpen: boolean;
  onOpen: () => void;
  onDone: () => void;
}

/** One thing that waits for a person: the question, who asks, until when, and the answer. */
export function InboxCard({ item, isGone, isOpen, onOpen, onDone }: Props) {
  const { kind, invocationId, step, nodeId, toolId, agent, session, prompt } = item;
  return (
    <article
      id={item.id}
      class="panel inbox-card"
      data-testid="inbox-item"
      data-kind={kind}
      data-invocation={invocationId}
      data-step={step}
      data-node={nodeId ?? undefined}
      aria-label={`${markedString(toolId)} asks`}
    >
      <header class="inbox-head">
        <h2>
          <HostileText text={toolId} limit={120} isFixed />
        </h2>
        <Deadline until={item.until} />
      </header>
      <div data-testid="prompt" class="inbox-prompt">
        <Prompt prompt={prompt} />
      </div>
      <dl class="facts">
        <dt>Invocation</dt>
        <dd>
          <a href={`/console/invocations/${invocationId}`}>
            <code>{invocationId}</code>
          </a>
          , step {step}
          {nodeId !== null && (
            <>
              , node <HostileText text={nodeId} limit={120} isFixed />
            </>
          )}
        </dd>
        {agent !== null && <Fact name="Agent" value={agent} />}
        {session !== null && (
          <Fact name="Session" value={session} href={`/console/sessions/${encodeURIComponent(session)}`} />
        )}
        <dt>Asked</dt>
        <dd>
          <Time at={item.askedAt} withDistance />
        </dd>
      </dl>
      {!isSame(item.arguments, prompt) && (
        <details>
          <summary>Arguments of the step</summary>
          <JsonText value={item.arguments} label="Arguments of the step" />
        </details>
      )}
      {kind !== 'answer' && <p class="faint">This version of the console cannot answer this kind of question.</p>}
      {kind === 'answer' && isOpen && <AnswerForm item={item} isGone={isGone} onDone={onDone} />}
      {kind === 'answer' && !isOpen && (
        <>
          {isGone && <TakenNotice isKept />}
          <button type="button" class="button" onClick={onOpen}>
            Answer
          </button>
        </>
      )}
    </article>
  );
}

function Fact({ name, value, href }: { name: string; value: string; href?: string }) {
  const text = <HostileText text={value} limit={200} isFixed />;
  return (
    <>
      <dt>{name}</dt>
      <dd>{href === undefined ? text : <a href={href}>{text}</a>}</dd>
    </>
  );
}

function Prompt({ prompt }: { prompt: unknown }) {
  if (prompt === null) return <p class="faint">It asks for an answer without a text.</p>;
  if (typeof prompt === 'string') return <HostileText text={prompt} />;
  return <JsonText value={prompt} label="Question" />;
}

function Deadline({ until }: { until: string | null }) {
  const leftMs = until === null ? Infinity : Date.parse(until) - now.value;
  const [tone, word] =
    leftMs < 0 ? ['bad', 'Overdue since'] : leftMs < URGENT_MS ? ['waiting', 'Urgent: until'] : ['queued', 'Until'];
  return (
    <span data-testid="until" class={`status tone-${tone}`}>
      {until === null ? 'No deadline' : `${word} `}
      {until !== null && <Time at={until} withDistance />}
    </span>
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
