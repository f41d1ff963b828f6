import type { Invocation, NodeState, Step } from '@errand/contracts';
import { durationsOf, timeSpans } from './time-spans.js';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const ms = (second: number) => Date.parse(at(second));

const stepWith = (over: Partial<Step> = {}): Step => ({
  index: 0,
  toolId: 'test:tool',
  version: '1.0.0',
  arguments: {},
  status: 'succeeded',
  startedAt: at(2),
  finishedAt: at(9),
  attempts: 1,
  ...over,
});
const invocationWith = (steps: Step[], over: Partial<Invocation> = {}) =>
  ({ createdAt: at(0), startedAt: at(2), finishedAt: at(9), steps, ...over }) as Invocation;
const nodeWith = (over: Partial<NodeState>): NodeState => ({
  nodeId: 'a',
  type: 'test:Do',
  status: 'succeeded',
  startedAt: at(3),
  finishedAt: at(8),
  attempts: 1,
  ...over,
});

describe('The spans of a timeline', () => {
  it('The wait of the only step for a slot is apart from its run', () => {
    const [span] = timeSpans(invocationWith([stepWith()]), undefined);
    expect(span?.segments).toEqual([
      { kind: 'wait', from: ms(0), to: ms(2), waiting: 'a free slot' },
      { kind: 'run', from: ms(2), to: ms(9), attempt: 1 },
    ]);
    expect(span && durationsOf(span, ms(20))).toEqual({ wait: 2_000, run: 7_000 });
  });

  it('Each attempt is a segment, and those before the last one have failed', () => {
    const earlierAttempts = [{ startedAt: at(1), finishedAt: at(2) }];
    const invocation = invocationWith([stepWith({ attempts: 2 })], { startedAt: at(5), earlierAttempts });
    const [span] = timeSpans(invocation, { items: [{ at: at(5), status: 'queued' }], missing: 0 });
    expect(span?.segments).toMatchObject([
      { kind: 'wait' },
      { kind: 'run', from: ms(1), to: ms(2), attempt: 1, hasFailed: true },
      { kind: 'wait', from: ms(2), to: ms(5), waiting: 'the next attempt' },
      { kind: 'run', from: ms(5), to: ms(9), attempt: 2 },
    ]);
  });

  it('A wait for an answer is apart from the work around it, and is no attempt', () => {
    const items = [
      { at: at(4), status: 'waiting_external' as const },
      { at: at(7), status: 'running' as const },
    ];
    const [span] = timeSpans(invocationWith([stepWith()]), { items, missing: 0 });
    expect(span?.segments.map(({ kind, attempt, waiting }) => [kind, attempt ?? waiting])).toEqual([
      ['wait', 'a free slot'],
      ['run', 1],
      ['wait', 'an answer'],
      ['run', 1],
    ]);
  });

  it('A node that begins again has a segment for each attempt', () => {
    const nodes = [nodeWith({ attempts: 2 })];
    const change = { index: 0, nodeId: 'a', status: 'running' as const };
    const items = [
      { ...change, at: at(3) },
      { ...change, at: at(5), attempt: 2 },
      { ...change, at: at(6), attempt: 2, waiting: 'time' as const },
      { ...change, at: at(7), attempt: 2 },
    ];
    const [, span] = timeSpans(invocationWith([stepWith({ nodes })]), { items, missing: 0 });
    expect(
      span?.segments.map(({ kind, from, attempt, hasFailed }) => [kind, from - ms(0), attempt, hasFailed]),
    ).toEqual([
      ['run', 3_000, 1, true],
      ['run', 5_000, 2, undefined],
      ['wait', 6_000, undefined, undefined],
      ['run', 7_000, 2, undefined],
    ]);
  });

  it('A node that failed has a pause before its next attempt', () => {
    const change = { index: 0, nodeId: 'a' };
    const items = [
      { ...change, at: at(3), status: 'running' as const },
      { ...change, at: at(4), status: 'failed' as const },
      { ...change, at: at(7), status: 'running' as const, attempt: 2 },
      { ...change, at: at(8), status: 'failed' as const, attempt: 2 },
    ];
    const nodes = [nodeWith({ attempts: 2, status: 'failed', startedAt: at(7), finishedAt: at(8) })];
    const [, span] = timeSpans(invocationWith([stepWith({ nodes })]), { items, missing: 0 });
    expect(span?.segments.map(({ kind, from, to }) => [kind, from - ms(0), (to ?? 0) - ms(0)])).toEqual([
      ['run', 3_000, 4_000],
      ['wait', 4_000, 7_000],
      ['run', 7_000, 8_000],
    ]);
    expect(span?.segments.map(({ hasFailed }) => hasFailed)).toEqual([true, undefined, undefined]);
  });

  it('Nodes are below their step, and what goes on has no end', () => {
    const nodes = [nodeWith({}), nodeWith({ nodeId: 'b', status: 'waiting_external', finishedAt: null })];
    const items = [
      { at: at(5), status: 'waiting_external' as const, index: 0, nodeId: 'b', waiting: 'answer' as const },
    ];
    const step = stepWith({ nodes, status: 'running', finishedAt: null });
    const spans = timeSpans(invocationWith([step], { finishedAt: null }), { items, missing: 0 });
    expect(spans.map(({ index, nodeId }) => [index, nodeId])).toEqual([
      [0, undefined],
      [0, 'a'],
      [0, 'b'],
    ]);
    expect(spans[2]?.segments.at(-1)).toEqual({ kind: 'wait', from: ms(5), to: undefined, waiting: 'an answer' });
    expect(spans[2] && durationsOf(spans[2], ms(10))).toEqual({ wait: 5_000, run: 2_000 });
  });

  it('A step that has not begun has no segments', () => {
    const waiting = stepWith({ index: 1, status: 'queued', startedAt: null, finishedAt: null });
    expect(timeSpans(invocationWith([stepWith(), waiting]), undefined)[1]?.segments).toEqual([]);
  });
});
