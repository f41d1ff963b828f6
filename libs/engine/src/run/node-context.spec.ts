import type { JsonObject, NodeType } from '@errand/contracts';
import { failure, nodeType, options, workflow } from '../../test/workflow-kit.js';
import type { RunOptions } from './run-options.js';
import { runWorkflow } from './run-workflow.js';

const ONE = workflow([{ id: 'n', type: 'test:n' }], ['n.value > out.v'], { outputs: ['v'] });
const running = (run: NodeType['run'], more: Partial<RunOptions> = {}) =>
  runWorkflow(ONE, {}, options([nodeType('test:n', [], run)], more));

describe('The context of a node', () => {
  it('The context contains the ids, the config and the failures', async () => {
    const outputs = await running((_inputs, { nodeId, invocationId, failures, config }) => ({
      value: { nodeId, invocationId, config, failures: Object.keys(failures) },
    }));
    expect(outputs.v).toEqual({ nodeId: 'n', invocationId: 'inv_test', config: {}, failures: [] });
  });

  it('The context has no network unless the run provides a fetch', async () => {
    const error = await failure(running(async (_inputs, { fetch }) => ({ value: (await fetch('http://x/')).status })));
    expect(error).toMatchObject({ type: 'SecurityError', message: expect.stringMatching(/no network access here/) });
  });

  it('The context passes its own signal to the fetch of the run', async () => {
    let signal: unknown;
    const fetch = async (_input: unknown, init?: RequestInit) => {
      signal = init?.signal;
      return new Response('hello');
    };
    const outputs = await running(
      async (_inputs, context) => ({
        value: [await (await context.fetch('http://x/')).text(), context.signal === signal],
      }),
      { fetch },
    );
    expect(outputs).toEqual({ v: ['hello', true] });
  });

  it('The signal of the context aborts when the node has ended', async () => {
    let late!: AbortSignal;
    await running((_inputs, { signal }) => ((late = signal), { value: signal.aborted }));
    expect(late.aborted).toBe(true);
  });

  it('The context always returns the same signal', async () => {
    const outputs = await running(async (_inputs, context) => {
      const first = context.signal;
      await Promise.resolve();
      return { value: first === context.signal };
    });
    expect(outputs).toEqual({ v: true });
  });

  it('The reported progress of a node is bounded and added to that of the other nodes', async () => {
    const reported: unknown[] = [];
    const type = nodeType('test:n', [], async (_inputs, { progress }) => {
      for (const value of [-1, 0.5, 0.25, Number.NaN, 7]) progress(value, 'so far');
      return {};
    });
    const stored = workflow(
      ['a', 'b'].map((id) => ({ id, type: 'test:n' })),
      [],
    );
    const emit: RunOptions['emit'] = (event) =>
      event.event === 'progress' && reported.push([event.nodeId, event.value]);
    await runWorkflow(stored, {}, options([type], { emit, concurrency: 1 }));
    expect(reported).toEqual([
      ...[0, 0.25, 0.25, 0.25, 0.5].map((value) => ['a', value]),
      ...[0.5, 0.75, 0.75, 0.75, 1].map((value) => ['b', value]),
    ]);
  });

  it('Events show only the beginning and the length of long inputs', async () => {
    const long = 'x'.repeat(10_000);
    const type = nodeType('test:n', ['a', 'b', 'c'], (inputs: JsonObject) => ({ value: inputs }));
    const inputValues = { a: long, b: [long], c: 1 };
    const stored = workflow([{ id: 'n', type: 'test:n', inputValues }], ['n.value > out.v'], { outputs: ['v'] });
    const run = options([type]);
    expect((await runWorkflow(stored, {}, run)).v).toEqual(inputValues);
    const [event] = run.events;
    const shown = event?.event === 'node' ? event.state.inputs! : {};
    expect(JSON.stringify(shown).length).toBeLessThan(4_200);
    expect(shown).toEqual({
      a: expect.stringMatching(/^x+… \(10000 characters\)$/),
      b: expect.stringMatching(/^\["x+… \(10004 characters\)$/),
      c: 1,
    });
  });
});
