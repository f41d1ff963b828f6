import type { Failure, Invocation, NodeState, Step } from '@errand/contracts';
import type { ComponentChildren } from 'preact';
import { useUrlQuery } from '../../api/use-url-query.js';
import { now } from '../../parts/clock.js';
import { formatDuration } from '../../parts/format.js';
import { StatusMark } from '../../parts/status-mark.js';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';
import { JsonTree } from '../../parts/json-tree.js';
import { PlaceOfRun } from './place-of-run.js';
import { durationsOf, type TimeSpan } from './time-spans.js';

interface Props {
  invocation: Invocation;
  span: TimeSpan;
  /** Of a node whose workflow names it. */
  displayName: string | undefined;
}

/** The chosen step or node: what it got, what it gave, when and where it ran. */
export function StepDetail({ invocation, span, displayName }: Props) {
  const step = invocation.steps[span.index];
  const node = step?.nodes?.find(({ nodeId }) => nodeId === span.nodeId);
  if (!step) return null;
  const shown: Step | NodeState = node ?? step;
  const input = node ? node.inputs : step.arguments;
  return (
    <section class="step-detail panel" data-testid="step-detail" aria-label="Details of the chosen step">
      <header class="step-detail-head">
        <h2>
          <HostileText text={span.nodeId ?? span.name} limit={200} />
          {displayName !== undefined && (
            <span class="faint">
              {' '}
              <HostileText text={displayName} limit={200} isFixed />
            </span>
          )}
        </h2>
        <StatusMark status={span.status} />
      </header>
      <Facts id={invocation.id} shown={shown} span={span} step={step} node={node} />
      {shown.error && <ErrorPart error={shown.error} />}
      <Part title={node ? 'Inputs' : 'Arguments'}>
        {input === undefined ? <p class="faint">They are kept when the node begins.</p> : <JsonTree value={input} />}
      </Part>
      {shown.result !== undefined && (
        <Part title="Result">
          {!node && step.resultTruncated && <CutNote total={step.resultTruncated.total} />}
          <JsonTree value={shown.result} />
        </Part>
      )}
    </section>
  );
}

function Part({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="step-part">
      <h3>{title}</h3>
      {children}
    </div>
  );
}

function CutNote({ total }: { total: number }) {
  const { set } = useUrlQuery();
  return (
    <p class="faint">
      The beginning of {total.toLocaleString('en')} characters.{' '}
      <button type="button" class="link" onClick={() => set({ tab: 'result' })}>
        Read the whole result
      </button>
    </p>
  );
}

function ErrorPart({ error }: { error: Failure }) {
  return (
    <Part title="Error">
      <div class="step-error">
        <code>
          <HostileText text={error.type} limit={80} isFixed />
        </code>
        <p>
          <HostileText text={error.message} />
        </p>
        {error.details && <JsonTree value={error.details} />}
      </div>
    </Part>
  );
}

interface FactsProps {
  id: string;
  shown: Step | NodeState;
  span: TimeSpan;
  step: Step;
  node: NodeState | undefined;
}

function Facts({ id, shown, span, step, node }: FactsProps) {
  const { wait, run } = durationsOf(span, now.value);
  return (
    <dl class="facts step-facts">
      <dt>{node ? 'Node type' : 'Tool'}</dt>
      <dd class="mono">
        {node ? (
          <HostileText text={node.type} limit={200} isFixed />
        ) : (
          <a href={`/console/tools/${encodeURIComponent(step.toolId)}`}>
            <HostileText text={`${step.toolId}@${step.version}`} limit={200} isFixed />
          </a>
        )}
      </dd>
      <dt>Started</dt>
      <dd>
        <Time at={shown.startedAt} />
      </dd>
      <dt>Ended</dt>
      <dd>
        <Time at={shown.finishedAt} />
      </dd>
      <dt>Ran</dt>
      <dd>{formatDuration(run)}</dd>
      {wait > 0 && <dt>Waited</dt>}
      {wait > 0 && <dd>{waitsOf(span)}</dd>}
      <dt>Attempts</dt>
      <dd>{span.attempts}</dd>
      <dt>Where</dt>
      <dd>
        <PlaceOfRun id={id} step={step} node={node} />
      </dd>
    </dl>
  );
}

function waitsOf({ segments }: TimeSpan): string {
  const sums = new Map<string, number>();
  for (const { kind, from, to = now.value, waiting = '' } of segments)
    if (kind === 'wait') sums.set(waiting, (sums.get(waiting) ?? 0) + to - from);
  return [...sums].map(([what, ms]) => `${formatDuration(ms)} for ${what}`).join(', ');
}
