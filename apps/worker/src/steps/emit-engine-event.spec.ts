import type { NodeState } from '@errand/contracts';
import type { StepContext } from './step-context.js';
import { emitEngineEvent } from './emit-engine-event.js';

const state = (over: Partial<NodeState> = {}): NodeState => ({
  nodeId: 'a',
  type: 't:n',
  status: 'running',
  startedAt: null,
  finishedAt: null,
  ...over,
});

/** The emitted events, each with the change of state. */
function eventsOf(event: Parameters<typeof emitEngineEvent>[1], over: { within?: string; single?: boolean } = {}) {
  const emitted: unknown[][] = [];
  const record = (...all: unknown[]) => void emitted.push(all);
  const progress = { report: (...all: unknown[]) => void emitted.push(['progress', ...all]) };
  const context = { index: 2, events: { emit: record }, progress, work: { attempt: 1 } } as unknown as StepContext;
  emitEngineEvent({ context, within: '', single: false, ...over }, event);
  return emitted;
}

describe('The events of the engine', () => {
  it('An event of a node becomes a step event and a change of state, under its key in the invocation', () => {
    const emitted = eventsOf({ event: 'node', state: state() }, { within: 'call:1/' });
    expect(emitted).toEqual([
      [
        { event: 'step', index: 2, status: 'running', nodeId: 'call:1/a' },
        ['2/call:1/a', state({ nodeId: 'call:1/a' })],
      ],
    ]);
  });

  it('The event of a node that begins again has the number of the attempt', () => {
    const [[event]] = eventsOf({ event: 'node', state: state({ attempts: 2 }) }) as [[object]];
    expect(event).toEqual({ event: 'step', index: 2, status: 'running', nodeId: 'a', attempt: 2 });
  });

  it('A waiting node keeps the key of its answer', () => {
    const waiting = { for: 'answer', key: 'a:1', until: null } as const;
    const [[event, [field, shown]]] = eventsOf(
      { event: 'node', state: state({ status: 'waiting_external', waiting }) },
      { within: 'call:1/', single: true },
    ) as [[unknown, [string, NodeState]]];
    expect(event).toMatchObject({ status: 'waiting_external', waiting: 'answer' });
    expect(field).toBe('2/call:1/a');
    expect(shown.waiting).toEqual({ ...waiting, key: 'call:1/a:1' });
  });

  it('A long result is shown by its beginning, and a short one as a whole', () => {
    const shownOf = (result: string) => {
      const [[, [, shown]]] = eventsOf({ event: 'node', state: state({ result }) }) as [[unknown, [string, NodeState]]];
      return shown.result;
    };
    expect(shownOf('short')).toBe('short');
    expect(shownOf('x'.repeat(100_000))).toBe(`${'x'.repeat(4_096)}… (100000 characters)`);
  });

  it('A long text in a stream is split into several events', () => {
    const chunk = 'abc'.repeat(50_000);
    const emitted = eventsOf({ event: 'output', output: 'text', chunk }).map(([event]) => event as { chunk: string });
    expect(emitted.map((event) => event.chunk).join('')).toBe(chunk);
    expect(emitted).toHaveLength(3);
  });

  it('A single node emits no event, because it is its step', () => {
    expect(eventsOf({ event: 'node', state: state() }, { single: true })).toEqual([]);
    expect(eventsOf({ event: 'node', state: state({ nodeId: 'a:1/b' }) }, { single: true })).toHaveLength(1);
  });

  it('Progress and streams belong to the step, and those inside of a node are ignored', () => {
    const half = { event: 'progress', value: 0.5, message: 'half' } as const;
    expect(eventsOf(half)).toEqual([['progress', 2, 0.5, 'half']]);
    expect(eventsOf(half, { within: 'call:1/' })).toEqual([]);
    const output = { event: 'output', output: 'text', chunk: 'to be' } as const;
    expect(eventsOf(output)).toEqual([[{ event: 'output', step: 2, output: 'text', chunk: 'to be' }]]);
    expect(eventsOf(output, { within: 'call:1/' })).toEqual([]);
  });
});
