import { ToolError, type JsonObject, type NodeContext } from '@errand/contracts';
import { nodeType, options, workflow, failure } from '../test/workflow-kit.js';
import { runWorkflow } from './run-workflow.js';

describe('the limits of a run', () => {
  it('ends a node that outlives its time limit, though it ignores its signal', async () => {
    const deaf = nodeType('test:deaf', [], () => new Promise<JsonObject>(() => {}));
    const error = await failure(
      runWorkflow(workflow([{ id: 'n', type: 'test:deaf', timeoutMs: 5 }], []), {}, options([deaf])),
    );
    expect(error?.type).toBe('TimeoutError');
    expect(error?.details).toEqual({ nodeId: 'n', nodeType: 'test:deaf' });
  });

  it('rejects at once when aborted, and hears no more of the nodes', async () => {
    const stop = new AbortController();
    let endLate!: (outputs: JsonObject) => void;
    const deaf = nodeType('test:deaf', [], (_inputs, context) => {
      stop.abort();
      context.log('too late');
      return new Promise<JsonObject>((resolve) => (endLate = resolve));
    });
    const run = options([deaf], { signal: stop.signal });
    const error = await failure(runWorkflow(workflow([{ id: 'n', type: 'test:deaf' }], []), {}, run));
    expect(error?.type).toBe('CancelledError');
    endLate({ value: 1 });
    await new Promise(setImmediate);
    expect(run.events.map(({ event }) => event)).toEqual(['node']);
  });

  it('hears no more of a node that it gave up, while the rest goes on', async () => {
    let stillThere!: NodeContext;
    const deaf = nodeType(
      'test:deaf',
      [],
      (_inputs, context) => ((stillThere = context), new Promise<JsonObject>(() => {})),
    );
    const later = nodeType('test:later', ['value'], async () => {
      stillThere.log('too late');
      stillThere.progress(0.5);
      await expect(stillThere.callTool('x:y', {})).rejects.toMatchObject({ type: 'TimeoutError' });
      return {};
    });
    const run = options([deaf, later]);
    const nodes = [
      { id: 'deaf', type: 'test:deaf', timeoutMs: 5, onError: 'continue' as const },
      { id: 'later', type: 'test:later' },
    ];
    await runWorkflow(workflow(nodes, ['deaf.value > later.value']), {}, run);
    expect(run.events.filter((event) => event.event === 'log' || (event.event === 'progress' && event.nodeId))).toEqual(
      [],
    );
  });

  it('rejects with the reason of the abort where it has one', async () => {
    const signal = AbortSignal.abort(new ToolError('TimeoutError', 'over'));
    await expect(runWorkflow(workflow([], []), {}, options([], { signal }))).rejects.toMatchObject({
      type: 'TimeoutError',
    });
  });

  it('never runs more nodes at a time than it may', async () => {
    let [running, most] = [0, 0];
    const busy = nodeType('test:busy', [], async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return {};
    });
    const nodes = Array.from({ length: 20 }, (_, n) => ({ id: `n${n}`, type: 'test:busy' }));
    await runWorkflow(workflow(nodes, []), {}, options([busy], { concurrency: 3 }));
    expect(most).toBe(3);
  });
});
