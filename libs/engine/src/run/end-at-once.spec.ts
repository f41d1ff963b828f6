import type { NodeType } from '@errand/contracts';
import { nodeType, options, statuses, workflow } from '../../test/workflow-kit.js';
import { runWorkflow } from './run-workflow.js';

const two = workflow(
  ['a', 'b'].map((id) => ({ id, type: 'test:note' })),
  [],
);

/** Runs two independent nodes with one permit. Each notes its beginning, and the next microtask after it. */
async function orderOf(run: NodeType['run'], effects: NodeType['effects'] = 'none') {
  const noted: string[] = [];
  const note = nodeType(
    'test:note',
    [],
    (inputs, context) => {
      noted.push(context.nodeId);
      queueMicrotask(() => noted.push(`after ${context.nodeId}`));
      return run(inputs, context);
    },
    { effects },
  );
  const runOptions = options([note], { concurrency: 1 });
  await runWorkflow(two, {}, runOptions).catch(() => {});
  return { noted, states: statuses(runOptions.events) };
}

describe('Nodes that return at once', () => {
  it('A node that returns its outputs without a promise gives its permit to the next node in the same call', async () => {
    expect(await orderOf(() => ({ value: 1 }))).toEqual({
      noted: ['a', 'b', 'after a', 'after b'],
      states: { a: 'succeeded', b: 'succeeded' },
    });
  });

  it.each<[string, NodeType['run']]>([
    ['returns a promise', async () => ({ value: 1 })],
    // oxlint-disable-next-line unicorn/no-thenable -- code may return any object with `then`
    ['returns an object with `then`', () => ({ then: (end: (outputs: object) => void) => end({ value: 1 }) }) as never],
  ])('A node that %s holds its permit until that is settled', async (_what, run) => {
    expect(await orderOf(run)).toEqual({
      noted: ['a', 'after a', 'b', 'after b'],
      states: { a: 'succeeded', b: 'succeeded' },
    });
  });

  it('A node that throws or returns wrong outputs at once fails, and the next node gets the permit', async () => {
    for (const wrong of [() => ({ unknown: 1 }), () => null as never, () => JSON.parse('no JSON') as never]) {
      const { noted, states } = await orderOf(wrong);
      expect([noted.filter((one) => !one.startsWith('after')), states]).toEqual([
        ['a', 'b'],
        { a: 'failed', b: 'failed' },
      ]);
    }
  });

  it('The signal of a node that returned at once fires when the node ends', async () => {
    const signals: AbortSignal[] = [];
    await orderOf((_inputs, { signal }) => (signals.push(signal), { value: signals.map(({ aborted }) => aborted) }));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('A node that may run only once gives its permit to the next node, too', async () => {
    const { noted, states } = await orderOf(() => ({ value: 1 }), 'once');
    expect([noted.filter((one) => !one.startsWith('after')), states]).toEqual([
      ['a', 'b'],
      { a: 'succeeded', b: 'succeeded' },
    ]);
  });
});
