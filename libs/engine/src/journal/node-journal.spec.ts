import { ToolError, type JsonObject, type NodeState, type NodeType, type StoredWorkflow } from '@errand/contracts';
import { give, nodeType, options, statuses, workflow } from '../../test/workflow-kit.js';
import { Journal, MemoryJournal, type Journaled } from './node-journal.js';
import { runWorkflow } from '../run/run-workflow.js';

/** A node type that counts the runs of each node. */
function counting(run: (nodeId: string) => JsonObject | Promise<JsonObject> = () => ({ value: 1 })) {
  const runs: Record<string, number> = {};
  const type = nodeType('test:count', ['value'], (_inputs, { nodeId }) => {
    runs[nodeId] = (runs[nodeId] ?? 0) + 1;
    return run(nodeId);
  });
  return { runs, type };
}

/** Writes with a delay, like a journal in a database. */
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

describe('The journal of a run', () => {
  it('The journal contains a result before a dependent node begins', async () => {
    const journal = new SlowJournal();
    const seen: string[][] = [];
    const { type } = counting(() => (seen.push([...journal.entries.keys()]), { value: 1 }));
    await runWorkflow(CHAIN, {}, options([type], { journal }));
    expect(seen).toEqual([[], ['a'], ['a', 'b']]);
  });

  it.each(['a', 'b', 'c'])('A run that dies in node %s does not run finished nodes again', async (dies) => {
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

  it('The journal keeps a failure that a retry cannot fix, and a node with any other failure runs again', async () => {
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

  it('A run whose journal cannot be written fails with the error of the journal', async () => {
    class FullJournal extends Journal {
      override async read(): Promise<Journaled> {
        return { states: new Map(), answers: new Map() };
      }
      override async write(): Promise<void> {
        throw new Error('disk full');
      }
      override async beginOnce(): Promise<boolean> {
        return true;
      }
      override async clearOnce(): Promise<void> {}
    }
    const { type, runs } = counting();
    await expect(runWorkflow(CHAIN, {}, options([type], { journal: new FullJournal() }))).rejects.toThrow('disk full');
    expect(runs).toEqual({ a: 1 });
  });

  it('A cancelled run emits no result that its journal was still writing', async () => {
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

  describe('The number of journal writes', () => {
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

    it('Nodes that finish together share one journal write', async () => {
      const nodes = ids(10).map((id, turns) => ({ id, type: 'test:slow', inputValues: { turns } }));
      const slow = nodeType('test:slow', ['turns'], async ({ turns }) => {
        for (let turn = 0; turn < Number(turns); turn++) await Promise.resolve();
        return {};
      });
      expect(await writesOf(workflow(nodes, []), [slow])).toEqual([10]);
    });

    it('A thousand parallel nodes need fewer than ten journal writes', async () => {
      const nodes = ids(1_000).map((id) => ({ id, type: 'test:turn' }));
      const turn = nodeType('test:turn', [], async () => (await new Promise(setImmediate), {}));
      const batches = await writesOf(workflow(nodes, []), [turn], { concurrency: 1_000 });
      expect(batches.length).toBeLessThan(10);
      expect(batches.reduce((sum, size) => sum + size)).toBe(1_000);
    });

    it('A grid needs at most one journal write per layer, and a chain at most one per node', async () => {
      const layers = 20;
      const nodes = ids(layers * 10).map((id) => ({ id, type: 'test:give' }));
      const edges = nodes.slice(10).map(({ id }, n) => `n${n}.value > ${id}.value`);
      expect((await writesOf(workflow(nodes, edges), [give])).length).toBeLessThanOrEqual(layers);
      const chain = nodes.slice(1).map(({ id }, n) => `n${n}.value > ${id}.value`);
      expect((await writesOf(workflow(nodes, chain), [give])).length).toBeLessThanOrEqual(nodes.length);
    });

    it('A node that runs 100 workflows at a time needs fewer than ten journal writes', async () => {
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
