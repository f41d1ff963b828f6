import { ToolError, type JsonObject, type NodeContext } from '@errand/contracts';
import { failure, give, nodeType, options, statuses, workflow } from '../../test/workflow-kit.js';
import { runWorkflow } from './run-workflow.js';

describe('The limits of a run', () => {
  it('A node that exceeds its time limit fails, even if it ignores its signal', async () => {
    const ignoringSignal = nodeType('test:deaf', [], () => new Promise<JsonObject>(() => {}));
    const error = await failure(
      runWorkflow(workflow([{ id: 'n', type: 'test:deaf', timeoutMs: 5 }], []), {}, options([ignoringSignal])),
    );
    expect(error?.type).toBe('TimeoutError');
    expect(error?.details).toEqual({ nodeId: 'n', nodeType: 'test:deaf' });
  });

  it('An aborted run rejects at once and emits nothing more from its nodes', async () => {
    const stop = new AbortController();
    let endLate!: (outputs: JsonObject) => void;
    const ignoringSignal = nodeType('test:deaf', [], (_inputs, context) => {
      stop.abort();
      context.log('too late');
      return new Promise<JsonObject>((resolve) => (endLate = resolve));
    });
    const run = options([ignoringSignal], { signal: stop.signal });
    const error = await failure(runWorkflow(workflow([{ id: 'n', type: 'test:deaf' }], []), {}, run));
    expect(error?.type).toBe('CancelledError');
    endLate({ value: 1 });
    await new Promise(setImmediate);
    expect(run.events.map(({ event }) => event)).toEqual(['node']);
  });

  it('A node that timed out emits nothing more while the run continues', async () => {
    let stillThere!: NodeContext;
    const ignoringSignal = nodeType(
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
    const run = options([ignoringSignal, later]);
    const nodes = [
      { id: 'deaf', type: 'test:deaf', timeoutMs: 5, onError: 'continue' as const },
      { id: 'later', type: 'test:later' },
    ];
    await runWorkflow(workflow(nodes, ['deaf.value > later.value']), {}, run);
    expect(run.events.filter((event) => event.event === 'log' || (event.event === 'progress' && event.nodeId))).toEqual(
      [],
    );
  });

  it.each(['cancel', 'time-out'])('A node that keeps running after a %s is reported', async (why) => {
    const stop = new AbortController();
    let abandoned!: (nodeId: string) => void;
    const reported = new Promise<string>((resolve) => (abandoned = resolve));
    const started = nodeType('test:deaf', [], () => {
      if (why === 'cancel') stop.abort();
      return new Promise<JsonObject>(() => {});
    });
    const node = { id: 'n', type: 'test:deaf', ...(why === 'time-out' && { timeoutMs: 1 }) };
    const run = options([started], { signal: stop.signal, onAbandoned: abandoned });
    await failure(runWorkflow(workflow([node], []), {}, run));
    // The timer of the report does not keep the process alive, so the test does.
    const alive = setInterval(() => {}, 1_000);
    await expect(reported).resolves.toBe('n');
    clearInterval(alive);
  });

  it('A node that stops when its signal aborts is not reported', async () => {
    const abandoned: string[] = [];
    const polite = nodeType(
      'test:polite',
      [],
      (_inputs, { signal }) =>
        new Promise<JsonObject>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const nodes = [{ id: 'n', type: 'test:polite', timeoutMs: 1 }];
    const run = options([polite], { onAbandoned: (nodeId) => abandoned.push(nodeId) });
    expect((await failure(runWorkflow(workflow(nodes, []), {}, run)))?.type).toBe('TimeoutError');
    const ignoringSignal = nodeType('test:deaf', [], () => new Promise<JsonObject>(() => {}));
    const later = new Promise<string>((resolve) => {
      const more = options([ignoringSignal], { onAbandoned: resolve });
      void failure(runWorkflow(workflow([{ id: 'later', type: 'test:deaf', timeoutMs: 1 }], []), {}, more));
    });
    const alive = setInterval(() => {}, 1_000);
    await later;
    clearInterval(alive);
    expect(abandoned).toEqual([]);
  });

  it('A run survives failing calls that a node started without awaiting them', async () => {
    const careless = nodeType(
      'test:careless',
      [],
      async (_inputs, { callTool, runWorkflow: runInside, park, fetch }) => {
        void callTool('x:y', {});
        void runInside('gone', {});
        void park({ for: 'answer' });
        void fetch('http://example.org');
        return {};
      },
    );
    const callTool = async () => {
      throw new Error('fails unheard');
    };
    const run = options([careless], { callTool });
    await runWorkflow(workflow([{ id: 'n', type: 'test:careless' }], []), {}, run);
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    expect(statuses(run.events)).toEqual({ n: 'succeeded' });
  });

  it('The permit of an abandoned node goes to the next node', async () => {
    const ignoringSignal = nodeType('test:deaf', [], () => new Promise<JsonObject>(() => {}));
    const inner = workflow([{ id: 'n', type: 'test:deaf' }], [], { id: 'inner' });
    const group = { id: 'g', type: 'core:NodeGroup', configValues: { referencedWorkflowId: 'inner' }, timeoutMs: 1 };
    const nodes = [
      { id: 'deaf', type: 'test:deaf', timeoutMs: 1, onError: 'continue' as const },
      { ...group, onError: 'continue' as const },
      { id: 'next', type: 'test:give' },
    ];
    const stored = workflow(nodes, ['deaf.value > next.value']);
    const run = options([ignoringSignal, give], { concurrency: 1, workflows: new Map([['inner', inner]]) });
    await runWorkflow(stored, {}, run);
    expect(statuses(run.events)).toMatchObject({ deaf: 'failed', g: 'failed', next: 'succeeded' });
  });

  it('An aborted run rejects with the reason of the abort', async () => {
    const signal = AbortSignal.abort(new ToolError('TimeoutError', 'over'));
    await expect(runWorkflow(workflow([], []), {}, options([], { signal }))).rejects.toMatchObject({
      type: 'TimeoutError',
    });
  });

  it('A run never exceeds its limit of concurrent nodes', async () => {
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
