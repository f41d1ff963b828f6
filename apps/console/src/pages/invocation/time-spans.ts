import type { Invocation, NodeState, StatusChange, Step, Timeline, Waiting } from '@errand/contracts';
import type { Loss } from './losses.js';
import { sharedWaits, type Segment } from './shared-waits.js';

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
const SUCCESSOR = 'another process';

/** For what each kind of wait is. */
export const WAITS: Readonly<Record<Waiting['for'], string>> = {
  time: 'a time',
  answer: 'an answer',
  invocation: 'another invocation',
  runner: 'a script-runner',
};

interface Moment {
  at: number;
  kind: 'wait' | 'run' | 'end';
  waiting?: string;
}

/** The steps of an invocation, each with its nodes behind it, in the order of their starts. */
export function timeSpans(
  invocation: Invocation,
  timeline: Timeline | undefined,
  losses: readonly Loss[] = [],
): TimeSpan[] {
  const { own, byKey } = sorted(timeline?.items ?? []);
  return invocation.steps.flatMap((step) => {
    const isAlone = invocation.steps.length === 1;
    const changes = byKey.get(keyOf(step.index)) ?? [];
    const moments = isAlone ? momentsOfOnly(invocation, own, losses) : momentsOf(step, changes);
    const nodes = nodeSpans(step, byKey);
    // The step is suspended while each of its nodes waits or has ended. Its own events do not say so for a time.
    for (const { from, to, waiting } of sharedWaits(nodes.flatMap(({ segments }) => segments))) {
      moments.push({ at: from, kind: 'wait', waiting });
      if (to !== undefined) moments.push({ at: to, kind: 'run' });
    }
    if (!isAlone && step.startedAt !== null)
      moments.unshift({ at: Date.parse(invocation.createdAt), kind: 'wait', waiting: 'its turn' });
    const shown = { index: step.index, name: step.toolId, status: step.status, attempts: step.attempts };
    return [{ ...shown, segments: segmentsOf(inOrder(moments)) }, ...nodes];
  });
}

function nodeSpans({ index, nodes = [] }: Step, byKey: ReadonlyMap<string, readonly StatusChange[]>): TimeSpan[] {
  return nodes.map((node) => {
    const { nodeId, type: name, status, attempts = 0 } = node;
    const segments = segmentsOf(inOrder(momentsOf(node, byKey.get(keyOf(index, nodeId)) ?? [])));
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
function momentsOfOnly(invocation: Invocation, own: readonly StatusChange[], losses: readonly Loss[]): Moment[] {
  const { createdAt, startedAt, finishedAt, steps, earlierAttempts = [] } = invocation;
  const moments: Moment[] = [{ at: Date.parse(createdAt), kind: 'wait', waiting: 'a free slot' }];
  for (const attempt of earlierAttempts) {
    moments.push({ at: Date.parse(attempt.startedAt), kind: 'run' });
    moments.push({ at: Date.parse(attempt.finishedAt), kind: 'wait', waiting: RETRY });
  }
  const before = startedAt === null ? undefined : waitBeforeRun(steps[0]);
  if (startedAt !== null)
    moments.push({ at: Date.parse(startedAt), kind: before ? 'wait' : 'run', ...(before && { waiting: before }) });
  // A loss ends the attempt that the process had begun. A script of a node that is lost does not end the invocation.
  const broken = [...earlierAttempts, ...(invocation.status === 'queued' ? [{ startedAt }] : [])];
  for (const { at, since } of losses)
    if (broken.some((attempt) => attempt.startedAt === since))
      moments.push({ at: Date.parse(at), kind: 'wait', waiting: SUCCESSOR });
  for (const { at, status } of own) {
    if (status === 'waiting_external') moments.push({ at: Date.parse(at), kind: 'wait', waiting: 'an answer' });
    if (status === 'running') moments.push({ at: Date.parse(at), kind: 'run' });
  }
  return ended(moments, finishedAt);
}

/** A step without nodes and rounds that waits for a runner or another invocation has not run yet. A repeated effect never runs. */
function waitBeforeRun({ waiting, nodes = [], rounds = [], deduplicatedFrom }: Partial<Step> = {}): string | undefined {
  if (deduplicatedFrom) return WAITS.invocation;
  const isBefore = (waiting?.for === 'runner' || waiting?.for === 'invocation') && nodes.length + rounds.length === 0;
  return waiting && isBefore ? WAITS[waiting.for] : undefined;
}

function momentsOf(
  { startedAt, finishedAt }: Pick<Step, 'startedAt' | 'finishedAt'>,
  changes: readonly StatusChange[],
): Moment[] {
  const moments: Moment[] = startedAt === null ? [] : [{ at: Date.parse(startedAt), kind: 'run' }];
  const lastRun = changes.findLastIndex(({ status }) => status === 'running');
  let attempts = 1;
  let hasFailed = false;
  for (const [n, { at, status, waiting, attempt = 1 }] of changes.entries()) {
    const time = Date.parse(at);
    const isWait = status === 'queued' || status === 'waiting_external' || waiting !== undefined;
    if (isWait) moments.push({ at: time, kind: 'wait', waiting: waitingFor(status, waiting) });
    // Without a failure, the end of the attempt before is not known.
    else if (attempt > attempts && !hasFailed) moments.push({ at: time, kind: 'wait', waiting: RETRY });
    hasFailed = status === 'failed' && n < lastRun;
    if (hasFailed) moments.push({ at: time, kind: 'wait', waiting: RETRY });
    if (!isWait && status === 'running') moments.push({ at: time, kind: 'run' });
    attempts = Math.max(attempts, attempt);
  }
  return ended(moments, finishedAt);
}

function waitingFor(status: StatusChange['status'], waiting: StatusChange['waiting']): string {
  if (waiting !== undefined) return WAITS[waiting];
  return status === 'queued' ? RETRY : 'an answer';
}

function ended(moments: Moment[], finishedAt: string | null): Moment[] {
  return finishedAt === null ? moments : [...moments, { at: Date.parse(finishedAt), kind: 'end' }];
}

/** In the order of their times, with the end behind all others. */
function inOrder(moments: readonly Moment[]): Moment[] {
  return moments.toSorted((a, b) => Number(a.kind === 'end') - Number(b.kind === 'end') || a.at - b.at);
}

/** Two moments of the same kind make one segment. A run behind a wait for the next attempt, or after a loss, is another attempt. */
function segmentsOf(moments: readonly Moment[]): Segment[] {
  const segments: Segment[] = [];
  let attempt = 1;
  for (const { at, kind, waiting = '' } of moments) {
    const last = segments.at(-1);
    if (last?.to === undefined && last?.kind === kind && (last.waiting ?? '') === waiting) continue;
    if (last?.to === undefined && last) last.to = Math.max(last.from, at);
    if (kind === 'end') break;
    if (last?.kind === 'run' && (waiting === RETRY || waiting === SUCCESSOR)) {
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
