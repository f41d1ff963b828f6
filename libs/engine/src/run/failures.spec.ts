import { ToolError, type Json, type JsonObject } from '@errand/contracts';
import { fail, give, nodeType, options, rescue, statuses, TYPES, workflow, failure } from '../../test/workflow-kit.js';
import { runWorkflow } from './run-workflow.js';

describe('Failures in a workflow', () => {
  it('A failed node is named, its dependent nodes are skipped, and the other nodes finish', async () => {
    const run = options(TYPES);
    const stored = workflow(
      [
        { id: 'bad', type: 'test:fail' },
        { id: 'after', type: 'test:give' },
        { id: 'apart', type: 'test:give' },
      ],
      ['bad.value > after.value'],
    );
    const error = await failure(runWorkflow(stored, {}, run));
    expect(error).toBeInstanceOf(ToolError);
    expect(error?.toFailure()).toEqual({
      type: 'NodeError',
      message: "Node 'bad' (test:fail) failed: no luck",
      details: { nodeId: 'bad', nodeType: 'test:fail' },
    });
    expect(statuses(run.events)).toEqual({ bad: 'failed', after: 'skipped', apart: 'succeeded' });
  });

  it('A ToolError that a node throws keeps its type', async () => {
    const type = nodeType('test:lost', [], () => {
      throw new ToolError('ResourceLimitError', 'too big', { limit: 5 });
    });
    const error = await failure(runWorkflow(workflow([{ id: 'n', type: 'test:lost' }], []), {}, options([type])));
    expect(error?.toFailure()).toMatchObject({ type: 'ResourceLimitError', details: { limit: 5, nodeId: 'n' } });
  });

  it('The failure of a run also names the other failed nodes', async () => {
    const stored = workflow(
      [
        { id: 'a', type: 'test:fail' },
        { id: 'b', type: 'test:fail' },
      ],
      [],
    );
    expect((await failure(runWorkflow(stored, {}, options(TYPES))))?.details).toMatchObject({
      nodeId: 'a',
      alsoFailed: ['b'],
    });
  });

  it('The failure of a run names each failed node that reaches the outputs once', async () => {
    const stored = workflow(
      [
        { id: 'a', type: 'test:fail' },
        { id: 'b', type: 'test:fail' },
        { id: 'after', type: 'test:give' },
      ],
      ['a.value > after.value', 'a.value > out.x', 'after.value > out.y', 'b.value > out.z'],
      { outputs: ['x', 'y', 'z'] },
    );
    expect((await failure(runWorkflow(stored, {}, options(TYPES))))?.details).toEqual({
      nodeId: 'a',
      nodeType: 'test:fail',
      alsoFailed: ['b'],
    });
  });

  it('A slot that accepts failures catches the failure of a node', async () => {
    const stored = workflow(
      [
        { id: 'bad', type: 'test:fail' },
        { id: 'between', type: 'test:give' },
        { id: 'r', type: 'test:rescue' },
      ],
      ['bad.value > between.value', 'between.value > r.value', 'r.value > out.value'],
      { outputs: ['value'] },
    );
    await expect(runWorkflow(stored, {}, options(TYPES))).resolves.toEqual({
      value: "Node 'bad' (test:fail) failed: no luck",
    });
  });

  it('A run fails if one of two branches does not catch the failure', async () => {
    const stored = workflow(
      [
        { id: 'bad', type: 'test:fail' },
        { id: 'r', type: 'test:rescue' },
        { id: 'b', type: 'test:give' },
      ],
      ['bad.value > r.value', 'bad.value > b.value'],
    );
    expect((await failure(runWorkflow(stored, {}, options([fail, rescue, give]))))?.type).toBe('NodeError');
  });

  it.each<[string, object, Json]>([
    ['continue', { onError: 'continue' }, null],
    ['default', { onError: 'default', defaultOutputs: { value: 9 } }, 9],
  ])('A run continues after a failure with onError %s', async (_name, more, expected) => {
    const run = options(TYPES);
    const stored = workflow(
      [
        { id: 'bad', type: 'test:fail', ...more },
        { id: 'after', type: 'test:give' },
      ],
      ['bad.value > after.value', 'after.value > out.v'],
      { outputs: ['v'] },
    );
    await expect(runWorkflow(stored, {}, run)).resolves.toEqual({ v: expected });
    expect(statuses(run.events).bad).toBe('failed');
  });

  it('A failed node is retried as often as its retry allows', async () => {
    let attempts = 0;
    const flaky = nodeType('test:flaky', [], () => {
      attempts++;
      if (attempts < 3) throw new Error('not yet');
      return { value: attempts };
    });
    const retry = { attempts: 3, backoff: { type: 'exponential' as const, delayMs: 1 } };
    const stored = workflow([{ id: 'n', type: 'test:flaky', retry }], ['n.value > out.v'], { outputs: ['v'] });
    await expect(runWorkflow(stored, {}, options([flaky]))).resolves.toEqual({ v: 3 });
  });

  it('A retried node calls its tools under new keys', async () => {
    const asking = nodeType('test:ask', [], async (_inputs, { callTool }) => ({ value: await callTool('x:y', {}) }));
    const keys: string[] = [];
    const callTool = async (_id: string, _args: JsonObject, { key }: { key: string }) => {
      keys.push(key);
      if (keys.length === 1) throw new ToolError('ScriptError', 'exit code 1');
      return 'fine';
    };
    await runWorkflow(
      workflow([{ id: 'n', type: 'test:ask', retry: { attempts: 2 } }], []),
      {},
      options([asking], { callTool }),
    );
    expect(keys).toEqual(['n:1', 'n#2:1']);
  });

  it('A failure skips 10,000 dependent nodes', async () => {
    const nodes = Array.from({ length: 10_000 }, (_, n) => ({
      id: `n${n}`,
      type: n === 0 ? 'test:fail' : 'test:give',
    }));
    const edges = nodes.slice(1).map((_, n) => `n${n}.value > n${n + 1}.value`);
    await expect(runWorkflow(workflow(nodes, edges), {}, options([fail, give]))).rejects.toMatchObject({
      type: 'NodeError',
    });
  });
});
