import { ToolError, type JsonObject, type NodeState, type NodeType, type StoredWorkflow } from '@errand/contracts';
import { give, nodeType, options, statuses, workflow } from '../test/workflow-kit.js';
import { Journal, MemoryJournal, type Journaled } from './journal.js';
import { runWorkflow } from './run-workflow.js';

/** A node type that counts how often each node ran. */
function counting(run: (nodeId: string) => JsonObject | Promise<JsonObject> = () => ({ value: 1 })) {
  const runs: Record<string, number> = {};
  const type = nodeType('test:count', ['value'], (_inputs, { nodeId }) => {
    runs[nodeId] = (runs[nodeId] ?? 0) + 1;
    return run(nodeId);
  });
  return { runs, type };
}

/** Takes its time, as a journal in a database does. */
class SlowJournal extends MemoryJournal {
  override async write(finished: readonly NodeState[]): Promise<void> {
    await new Promise(setImmediate);
    await super.write(finished);
  }
}

const CHAIN = workflow(
  ['a', 'b', 'c'].map((id) => ({ id, type: 'test:count' })),
  ['a.value > b.value', 'b.value > c.value', 'c.value > out.v'],
  { outputs: ['v'] },
);

describe('a journal', () => {
  it('holds a result before what depends on it begins', async () => {
    const journal = new SlowJournal();
    const seen: string[][] = [];
    const { type } = counting(() => (seen.push([...journal.entries.keys()]), { value: 1 }));
    await runWorkflow(CHAIN, {}, options([type], { journal }));
    expect(seen).toEqual([[], ['a'], ['a', 'b']]);
  });

  it.each(['a', 'b', 'c'])('saves a run that dies in %s from running any finished node again', async (dies) => {
    const journal = new MemoryJournal();
    const death = new AbortController();
    const first = counting((nodeId) => {
      if (nodeId === dies) death.abort(new Error('the process dies'));
      return { value: nodeId };
    });
    await expect(runWorkflow(CHAIN, {}, options([first.type], { journal, signal: death.signal }))).rejects.toThrow(
      'dies',
    );
    const second = counting((nodeId) => ({ value: nodeId }));
    const run = options([second.type], { journal });
    await expect(runWorkflow(CHAIN, {}, run)).resolves.toEqual({ v: 'c' });
    const finished = ['a', 'b', 'c'].filter((id) => id < dies);
    expect(Object.keys(second.runs)).toEqual(['a', 'b', 'c'].filter((id) => !finished.includes(id)));
    expect(statuses(run.events)).toEqual({ a: 'succeeded', b: 'succeeded', c: 'succeeded' });
  });

  it('keeps a failure that no repeat can mend, and lets another be tried again', async () => {
    for (const [errorType, runsAgain] of [
      ['OutputError', false],
      ['ServiceError', true],
    ] as const) {
      const journal = new MemoryJournal();
      const { type, runs } = counting(() => {
        throw new ToolError(errorType, 'broken');
      });
      const once = () => runWorkflow(CHAIN, {}, options([type], { journal }));
      await expect(once()).rejects.toMatchObject({ type: errorType, details: { nodeId: 'a' } });
      await expect(once()).rejects.toMatchObject({ type: errorType, details: { nodeId: 'a' } });
      expect(runs.a).toBe(runsAgain ? 2 : 1);
    }
  });

  it('ends the run with its own error where it cannot write', async () => {
    class FullJournal extends Journal {
      override async read(): Promise<Journaled> {
        return { states: new Map(), answers: new Map() };
      }
      override async write(): Promise<void> {
        throw new Error('disk full');
      }
    }
    const { type, runs } = counting();
    await expect(runWorkflow(CHAIN, {}, options([type], { journal: new FullJournal() }))).rejects.toThrow('disk full');
    expect(runs).toEqual({ a: 1 });
  });

  it('tells nothing of a node whose result was still being written when the run was cancelled', async () => {
    const stop = new AbortController();
    class CancellingJournal extends SlowJournal {
      override async write(finished: readonly NodeState[]): Promise<void> {
        stop.abort();
        await super.write(finished);
      }
    }
    const run = options([counting().type], { journal: new CancellingJournal(), signal: stop.signal });
    await expect(runWorkflow(CHAIN, {}, run)).rejects.toMatchObject({ type: 'CancelledError' });
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(statuses(run.events)).toEqual({ a: 'running' });
  });

  describe('counts its writes', () => {
    class CountingJournal extends MemoryJournal {
      readonly batches: number[] = [];
      override async write(states: readonly NodeState[]): Promise<void> {
        this.batches.push(states.length);
        await new Promise(setImmediate);
        await super.write(states);
      }
    }
    const writesOf = async (stored: StoredWorkflow, types: NodeType[], more = {}) => {
      const journal = new CountingJournal();
      await runWorkflow(stored, {}, options(types, { journal, ...more }));
      return journal.batches;
    };
    const ids = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`);

    it('one for all nodes that finish together', async () => {
      const nodes = ids(10).map((id, turns) => ({ id, type: 'test:slow', inputValues: { turns } }));
      const slow = nodeType('test:slow', ['turns'], async ({ turns }) => {
        for (let turn = 0; turn < Number(turns); turn++) await Promise.resolve();
        return {};
      });
      expect(await writesOf(workflow(nodes, []), [slow])).toEqual([10]);
    });

    it('few for a thousand side by side, whose ends are strewn over time', async () => {
      const nodes = ids(1_000).map((id) => ({ id, type: 'test:turn' }));
      const turn = nodeType('test:turn', [], async () => (await new Promise(setImmediate), {}));
      const batches = await writesOf(workflow(nodes, []), [turn], { concurrency: 1_000 });
      expect(batches.length).toBeLessThan(10);
      expect(batches.reduce((sum, size) => sum + size)).toBe(1_000);
    });

    it('at most one for each layer of a grid, and each link of a chain', async () => {
      const layers = 20;
      const nodes = ids(layers * 10).map((id) => ({ id, type: 'test:give' }));
      const edges = nodes.slice(10).map(({ id }, n) => `n${n}.value > ${id}.value`);
      expect((await writesOf(workflow(nodes, edges), [give])).length).toBeLessThanOrEqual(layers);
      const chain = nodes.slice(1).map(({ id }, n) => `n${n}.value > ${id}.value`);
      expect((await writesOf(workflow(nodes, chain), [give])).length).toBeLessThanOrEqual(nodes.length);
    });

    it('few for a hundred workflows that a node runs at a time', async () => {
      const inner = workflow([{ id: 'n', type: 'test:give' }], [], { id: 'inner' });
      const hundred = nodeType('test:hundred', [], async (_inputs, { runWorkflow: runInside }) => {
        await Promise.all(ids(100).map(() => runInside('inner', {})));
        return {};
      });
      const stored = workflow([{ id: 'h', type: 'test:hundred' }], []);
      const workflows = new Map([['inner', inner]]);
      expect((await writesOf(stored, [hundred, give], { workflows })).length).toBeLessThan(10);
    });
  });
});
