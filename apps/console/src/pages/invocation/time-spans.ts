import type { Invocation, NodeState, StatusChange, Step, Timeline } from '@errand/contracts';

/** A part of the time of a step or node: it waited, or an attempt ran. Times in ms. */
export interface Segment {
  kind: 'wait' | 'run';
  from: number;
  /** Undefined while it goes on. */
  to: number | undefined;
  /** Of a run: its number, from 1. */
  attempt?: number;
  /** An attempt that failed, with another one behind it. */
  hasFailed?: boolean;
  /** Of a wait: for what. */
  waiting?: string;
}

/** A step, or a node below its step, with its time. */
export interface TimeSpan {
  index: number;
  /** Undefined for the step itself. */
  nodeId?: string;
  /** The tool of a step, the type of a node. */
  name: string;
  status: Step['status'] | NodeState['status'];
  attempts: number;
  segments: Segment[];
}

const RETRY = 'the next attempt';

interface Moment {
  at: number;
  kind: 'wait' | 'run' | 'end';
  waiting?: string;
}

/** The steps of an invocation, each with its nodes behind it, in the order of their starts. */
export function timeSpans(invocation: Invocation, timeline: Timeline | undefined): TimeSpan[] {
  const { own, byKey } = sorted(timeline?.items ?? []);
  return invocation.steps.flatMap((step) => {
    const isAlone = invocation.steps.length === 1;
    const changes = byKey.get(keyOf(step.index)) ?? [];
    const moments = isAlone ? momentsOfOnly(invocation, own) : momentsOf(step, changes);
    if (!isAlone && step.startedAt !== null)
      moments.unshift({ at: Date.parse(invocation.createdAt), kind: 'wait', waiting: 'its turn' });
    const shown = { index: step.index, name: step.toolId, status: step.status, attempts: step.attempts };
    return [{ ...shown, segments: segmentsOf(moments) }, ...nodeSpans(step, byKey)];
  });
}

function nodeSpans({ index, nodes = [] }: Step, byKey: ReadonlyMap<string, readonly StatusChange[]>): TimeSpan[] {
  return nodes.map((node) => {
    const { nodeId, type: name, status, attempts = 0 } = node;
    const segments = segmentsOf(momentsOf(node, byKey.get(keyOf(index, nodeId)) ?? []));
    return { index, nodeId, name, status, attempts, segments };
  });
}

/** The beginning and the end of all spans in ms. The end is undefined while one goes on. */
export function boundsOf(invocation: Invocation): { from: number; to: number | undefined } {
  const { createdAt, finishedAt } = invocation;
  return { from: Date.parse(createdAt), to: finishedAt === null ? undefined : Date.parse(finishedAt) };
}

/** How long a span has waited and run, in ms. */
export function durationsOf({ segments }: TimeSpan, now: number): { wait: number; run: number } {
  const sum = { wait: 0, run: 0 };
  for (const { kind, from, to = now } of segments) sum[kind] += Math.max(0, to - from);
  return sum;
}

/** The only step of an invocation has its times, its attempts and its waits. */
function momentsOfOnly(invocation: Invocation, own: readonly StatusChange[]): Moment[] {
  const { createdAt, startedAt, finishedAt, earlierAttempts = [] } = invocation;
  const moments: Moment[] = [{ at: Date.parse(createdAt), kind: 'wait', waiting: 'a free slot' }];
  for (const attempt of earlierAttempts) {
    moments.push({ at: Date.parse(attempt.startedAt), kind: 'run' });
    moments.push({ at: Date.parse(attempt.finishedAt), kind: 'wait', waiting: RETRY });
  }
  if (startedAt !== null) moments.push({ at: Date.parse(startedAt), kind: 'run' });
  for (const { at, status } of own) {
    if (status === 'waiting_external') moments.push({ at: Date.parse(at), kind: 'wait', waiting: 'an answer' });
    if (status === 'running') moments.push({ at: Date.parse(at), kind: 'run' });
  }
  return ended(moments, finishedAt);
}

function momentsOf(
  { startedAt, finishedAt }: Pick<Step, 'startedAt' | 'finishedAt'>,
  changes: readonly StatusChange[],
) {
  const moments: Moment[] = startedAt === null ? [] : [{ at: Date.parse(startedAt), kind: 'run' }];
  for (const { at, status, waiting } of changes) {
    const isWait = status === 'queued' || status === 'waiting_external' || waiting !== undefined;
    if (isWait) moments.push({ at: Date.parse(at), kind: 'wait', waiting: waitingFor(status, waiting) });
    else if (status === 'running') moments.push({ at: Date.parse(at), kind: 'run' });
  }
  return ended(moments, finishedAt);
}

function waitingFor(status: StatusChange['status'], waiting: StatusChange['waiting']): string {
  const words = { time: 'a time', answer: 'an answer', invocation: 'another invocation', runner: 'a script-runner' };
  if (waiting !== undefined) return words[waiting];
  return status === 'queued' ? RETRY : 'an answer';
}

function ended(moments: Moment[], finishedAt: string | null): Moment[] {
  const sortedMoments = moments.toSorted((a, b) => a.at - b.at);
  return finishedAt === null ? sortedMoments : [...sortedMoments, { at: Date.parse(finishedAt), kind: 'end' }];
}

/** Two moments of the same kind make one segment. A run behind a wait for the next attempt is another attempt. */
function segmentsOf(moments: readonly Moment[]): Segment[] {
  const segments: Segment[] = [];
  let attempt = 1;
  for (const { at, kind, waiting = '' } of moments) {
    const last = segments.at(-1);
    if (last?.to === undefined && last?.kind === kind) continue;
    if (last?.to === undefined && last) last.to = Math.max(last.from, at);
    if (kind === 'end') break;
    if (last?.kind === 'run' && waiting === RETRY) {
      last.hasFailed = true;
      attempt += 1;
    }
    segments.push({ kind, from: at, to: undefined, ...(kind === 'run' ? { attempt } : { waiting }) });
  }
  return segments.filter(({ kind, from, to }) => kind === 'run' || from !== to);
}

function sorted(items: readonly StatusChange[]): { own: StatusChange[]; byKey: Map<string, StatusChange[]> } {
  const byKey = new Map<string, StatusChange[]>();
  const own: StatusChange[] = [];
  for (const change of items) {
    if (change.index === undefined) {
      own.push(change);
      continue;
    }
    const key = keyOf(change.index, change.nodeId);
    const known = byKey.get(key);
    if (known) known.push(change);
    else byKey.set(key, [change]);
  }
  return { own, byKey };
}

function keyOf(index: number, nodeId?: string): string {
  return nodeId === undefined ? `${index}` : `${index}/${nodeId}`;
}
