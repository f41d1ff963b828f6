import type { StoredWorkflow } from '@errand/contracts';
import { add, fail, give, nodeType, options, statuses, TYPES, workflow } from '../../test/workflow-kit.js';
import { MemoryJournal } from '../journal/node-journal.js';
import { runWorkflow } from './run-workflow.js';

const group = (id: string, referencedWorkflowId: string, more: object = {}) => ({
  id,
  type: 'core:NodeGroup',
  configValues: { referencedWorkflowId },
  ...more,
});
const lookup = (...stored: StoredWorkflow[]) => new Map(stored.map((one) => [one.id!, one]));

const DOUBLE = workflow(
  [{ id: 'sum', type: 'test:add' }],
  ['in.x > sum.parts', 'in.x > sum.parts', 'sum.value > out.y'],
  {
    id: 'double',
    inputs: ['x'],
    outputs: ['y'],
  },
);
const FOURFOLD = workflow(
  [group('one', 'double'), group('two', 'double')],
  ['in.x > one.x', 'one.y > two.x', 'two.y > out.y'],
  {
    id: 'fourfold',
    inputs: ['x'],
    outputs: ['y'],
  },
);
const BROKEN = workflow([{ id: 'bad', type: 'test:fail' }], ['bad.value > out.y'], { id: 'broken', outputs: ['y'] });

describe('Node groups', () => {
  it('A node group runs its workflow and the groups inside it', async () => {
    const run = options([add], { workflows: lookup(DOUBLE, FOURFOLD), concurrency: 1 });
    const outer = workflow([group('g', 'fourfold')], ['in.x > g.x', 'g.y > out.y'], { inputs: ['x'], outputs: ['y'] });
    await expect(runWorkflow(outer, { x: 5 }, run)).resolves.toEqual({ y: 20 });
    expect(Object.keys(statuses(run.events))).toEqual(['g', 'g/one', 'g/one/sum', 'g/two', 'g/two/sum']);
  });

  it('A node group fails with the failure of the node inside it', async () => {
    const run = options([fail], { workflows: lookup(BROKEN) });
    await expect(runWorkflow(workflow([group('g', 'broken')], []), {}, run)).rejects.toMatchObject({
      message: "Node 'g/bad' (test:fail) failed: no luck",
      details: { nodeId: 'g/bad', nodeType: 'test:fail' },
    });
  });

  it('A node group has its own time limit', async () => {
    const ignoringSignal = nodeType('test:deaf', [], () => new Promise(() => {}));
    const inner = workflow([{ id: 'n', type: 'test:deaf' }], [], { id: 'inner' });
    const run = options([ignoringSignal], { workflows: lookup(inner) });
    const outer = workflow([group('g', 'inner', { timeoutMs: 5 })], []);
    await expect(runWorkflow(outer, {}, run)).rejects.toMatchObject({ type: 'TimeoutError', details: { nodeId: 'g' } });
  });

  it('A node group starts none of its nodes after its time limit', async () => {
    const ignoringSignal = nodeType('test:deaf', [], () => new Promise(() => {}));
    const nodes = ['a', 'b'].map((id) => ({ id, type: 'test:deaf' }));
    const run = options([ignoringSignal], { workflows: lookup(workflow(nodes, [], { id: 'inner' })), concurrency: 1 });
    const outer = workflow(
      [group('g', 'inner', { timeoutMs: 5, onError: 'continue' }), { id: 'g2', type: 'test:deaf', timeoutMs: 1 }],
      [],
    );
    await expect(runWorkflow(outer, {}, run)).rejects.toMatchObject({
      type: 'TimeoutError',
      details: { nodeId: 'g2' },
    });
    expect(statuses(run.events)).toEqual({ g: 'failed', 'g/a': 'running', g2: 'failed' });
  });

  it('A retried node group runs all of its nodes again, despite a journalled failure', async () => {
    let attempts = 0;
    const flaky = nodeType('test:flaky', [], () => {
      attempts++;
      if (attempts === 1) throw new Error('not yet');
      return { value: attempts };
    });
    const inner = workflow([{ id: 'n', type: 'test:flaky' }], ['n.value > out.y'], { id: 'inner', outputs: ['y'] });
    const journal = new MemoryJournal();
    const outer = workflow([group('g', 'inner', { retry: { attempts: 2 } })], ['g.y > out.y'], { outputs: ['y'] });
    await expect(runWorkflow(outer, {}, options([flaky], { workflows: lookup(inner), journal }))).resolves.toEqual({
      y: 2,
    });
    expect([...journal.entries.keys()]).toEqual(['g/n', 'g#2/n', 'g']);
  });

  it('A node group passes on that a branch inside it was not taken', async () => {
    const inner = workflow(
      [{ id: 'choose', type: 'test:branch', inputValues: { take: 'no' } }],
      ['choose.yes > out.yes', 'choose.no > out.no'],
      { id: 'inner', outputs: ['yes', 'no'] },
    );
    const run = options(TYPES, { workflows: lookup(inner) });
    const outer = workflow(
      [group('g', 'inner'), { id: 'yes', type: 'test:give' }, { id: 'no', type: 'test:give' }],
      ['g.yes > yes.value', 'g.no > no.value'],
    );
    await runWorkflow(outer, {}, run);
    expect(statuses(run.events)).toMatchObject({ yes: 'skipped', no: 'succeeded' });
  });

  it('The keys of nodes in a group do not collide with other node ids', async () => {
    const inner = workflow([{ id: 'n', type: 'test:give' }], [], { id: 'inner' });
    const run = options([give], { workflows: lookup(inner) });
    await runWorkflow(workflow([group('g', 'inner'), { id: 'g/n', type: 'test:give' }], []), {}, run);
    expect(Object.keys(statuses(run.events)).toSorted()).toEqual(['g', 'g%2Fn', 'g/n']);
  });

  it('A run does not start if a workflow inside it is invalid', async () => {
    const inner = workflow([{ id: 'n', type: 'test:gone' }], [], { id: 'inner' });
    const run = options([], { workflows: lookup(inner) });
    await expect(runWorkflow(workflow([group('g', 'inner')], []), {}, run)).rejects.toThrow(/no node type 'test:gone'/);
  });
});
