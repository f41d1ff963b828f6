import type { Invocation, NodeState, Step } from '@errand/contracts';
import type { Loss } from './losses.js';
import { durationsOf, timeSpans } from './time-spans.js';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const ms = (second: number) => Date.parse(at(second));
const STEP = {
  index: 0,
  toolId: 'test:tool',
  version: '1.0.0',
  arguments: {},
  status: 'running',
  attempts: 1,
} as const;
const stepWith = (over: Partial<Step>): Step => ({ ...STEP, startedAt: at(2), finishedAt: null, ...over });
const invocationWith = (step: Step, over: Partial<Invocation> = {}) =>
  ({ createdAt: at(0), startedAt: at(2), finishedAt: null, status: 'running', steps: [step], ...over }) as Invocation;
const nodeWith = (over: Partial<NodeState>): NodeState => ({
  nodeId: 'a',
  type: 'test:Do',
  status: 'running',
  startedAt: at(2),
  finishedAt: null,
  ...over,
});
const shortOf = (step: ReturnType<typeof timeSpans>[number] | undefined) =>
  step?.segments.map(({ kind, from, to, waiting, hasFailed }) => [
    kind,
    (from - ms(0)) / 1_000,
    to === undefined ? undefined : (to - ms(0)) / 1_000,
    waiting ?? hasFailed,
  ]);
const loss = (over: Partial<Loss> = {}): Loss => ({
  process: 'worker-1',
  kind: 'worker',
  at: at(4),
  since: at(2),
  step: 0,
  now: 'waiting',
  successor: null,
  ...over,
});

describe('The spans of a suspended step', () => {
  it.each([
    ['runner', 'a script-runner'],
    ['invocation', 'another invocation'],
  ] as const)('A step that waits for its %s has not run yet', (subject, what) => {
    const step = stepWith({ waiting: { for: subject, until: null } });
    const [span] = timeSpans(invocationWith(step), undefined);
    expect(shortOf(span)).toEqual([
      ['wait', 0, 2, 'a free slot'],
      ['wait', 2, undefined, what],
    ]);
    expect(span && durationsOf(span, ms(60)).run).toBe(0);
  });

  it('A call that was answered from the record of another one did not run', () => {
    const step = stepWith({ status: 'succeeded', deduplicatedFrom: { invocationId: 'inv_1', step: 0 } });
    const [span] = timeSpans(invocationWith(step, { status: 'succeeded', finishedAt: at(9) }), undefined);
    expect(shortOf(span)?.at(-1)).toEqual(['wait', 2, 9, 'another invocation']);
  });

  it('The only step waits while each of its nodes waits or has ended', () => {
    const change = { index: 0, nodeId: 'a', status: 'running' as const };
    const items = [
      { ...change, at: at(4), waiting: 'time' as const },
      { ...change, at: at(9) },
    ];
    const nodes = [nodeWith({}), nodeWith({ nodeId: 'b', status: 'succeeded', finishedAt: at(6) })];
    const [span] = timeSpans(invocationWith(stepWith({ nodes })), { items, missing: 0 });
    expect(shortOf(span)).toEqual([
      ['wait', 0, 2, 'a free slot'],
      ['run', 2, 6, undefined],
      ['wait', 6, 9, 'a time'],
      ['run', 9, undefined, undefined],
    ]);
  });
});

describe('The spans of an invocation whose process was lost', () => {
  it('The time without any process is no run', () => {
    const earlierAttempts = [{ startedAt: at(2), finishedAt: at(30) }];
    const over = { startedAt: at(31), earlierAttempts };
    const [span] = timeSpans(invocationWith(stepWith({ attempts: 2 }), over), undefined, [loss()]);
    expect(shortOf(span)).toEqual([
      ['wait', 0, 2, 'a free slot'],
      ['run', 2, 4, true],
      ['wait', 4, 30, expect.stringContaining('another process')],
      ['wait', 30, 31, 'the next attempt'],
      ['run', 31, undefined, undefined],
    ]);
    expect(span?.segments.map(({ attempt }) => attempt)).toEqual([undefined, 1, undefined, undefined, 2]);
  });

  it('An invocation that nobody has taken over yet waits since the loss', () => {
    const queued = stepWith({ status: 'queued', startedAt: null });
    const [span] = timeSpans(invocationWith(queued, { status: 'queued' }), undefined, [loss({ now: 'in-hand' })]);
    expect(shortOf(span)?.at(-1)).toEqual(['wait', 4, undefined, expect.stringContaining('another process')]);
  });

  it('The loss of a script of a node is no end of the run', () => {
    const [span] = timeSpans(invocationWith(stepWith({})), undefined, [loss({ kind: 'runner', since: at(3) })]);
    expect(shortOf(span)?.at(-1)).toEqual(['run', 2, undefined, undefined]);
  });
});
