import { failure, nodeType, options, TYPES, workflow } from '../test/workflow-kit.js';
import { MemoryJournal } from './journal.js';
import { entriesForRepair } from './repair.js';
import { runWorkflow } from './run-workflow.js';

const group = (id: string, referencedWorkflowId: string) => ({
  id,
  type: 'core:NodeGroup',
  configValues: { referencedWorkflowId },
});

/** Fails unless its input is 'good'; counts its runs. */
const picky = (runs: string[]) =>
  nodeType('test:picky', ['value'], ({ value = null }, { nodeId }) => {
    runs.push(nodeId);
    if (value !== 'good') throw new Error(`${JSON.stringify(value)} is not good`);
    return { value };
  });
const counted = (runs: string[]) =>
  nodeType('test:counted', ['value'], ({ value = null }, { nodeId }) => (runs.push(nodeId), { value }));

/** a → bad → after; apart, which has nothing to do with them. */
const STORED = workflow(
  [
    { id: 'a', type: 'test:counted', inputValues: { value: 'evil' } },
    { id: 'bad', type: 'test:picky' },
    { id: 'after', type: 'test:counted' },
    { id: 'apart', type: 'test:counted' },
  ],
  ['a.value > bad.value', 'bad.value > after.value', 'after.value > out.v'],
  { outputs: ['v'] },
);

async function failed(stored = STORED, workflows = new Map()) {
  const journal = new MemoryJournal();
  const runs: string[] = [];
  await failure(runWorkflow(stored, {}, options([...TYPES, picky(runs), counted(runs)], { journal, workflows })));
  return journal.entries;
}

async function repair(
  states: Awaited<ReturnType<typeof failed>>,
  replacedInputs: ReadonlyMap<string, { value: string }>,
  stored = STORED,
  workflows = new Map(),
) {
  const runs: string[] = [];
  const kept = entriesForRepair({ workflow: stored, workflows, states, replaced: replacedInputs.keys() });
  const run = options([...TYPES, picky(runs), counted(runs)], {
    journal: new MemoryJournal(kept),
    replacedInputs,
    workflows,
  });
  return { outputs: await runWorkflow(stored, {}, run).catch((error: Error) => error.message), runs };
}

describe('the repair of a failed run', () => {
  it('runs the failed step again and keeps the results of the others', async () => {
    expect(await repair(await failed(), new Map())).toEqual({
      outputs: `Node 'bad' (test:picky) failed: "evil" is not good`,
      runs: ['bad'],
    });
  });

  it('takes the inputs that are given in the place of what would arrive', async () => {
    expect(await repair(await failed(), new Map([['bad', { value: 'good' }]]))).toEqual({
      outputs: { v: 'good' },
      runs: ['bad', 'after'],
    });
  });

  it('runs again what depends on a step with other inputs, though it ended well', async () => {
    expect(await repair(await failed(), new Map([['a', { value: 'good' }]]))).toEqual({
      outputs: { v: 'good' },
      runs: ['a', 'bad', 'after'],
    });
  });

  it('needs nothing of a source whose value is replaced', async () => {
    const stored = workflow(
      [
        { id: 'bad', type: 'test:fail' },
        { id: 'n', type: 'test:counted' },
      ],
      ['bad.value > n.value', 'n.value > out.v'],
      { outputs: ['v'] },
    );
    const { outputs } = await repair(await failed(stored), new Map([['n', { value: 'given' }]]), stored);
    expect(outputs).toEqual({ v: 'given' });
  });

  it('reaches into node groups, and runs the groups around again', async () => {
    const inner = workflow(
      [
        { id: 'first', type: 'test:counted', inputValues: { value: 'evil' } },
        { id: 'bad', type: 'test:picky' },
        { id: 'other', type: 'test:counted' },
      ],
      ['first.value > bad.value', 'bad.value > out.y'],
      { id: 'inner', outputs: ['y'] },
    );
    const outer = workflow(
      [{ id: 'before', type: 'test:counted' }, group('g', 'inner'), { id: 'after', type: 'test:counted' }],
      ['g.y > after.value', 'after.value > out.v'],
      { outputs: ['v'] },
    );
    const workflows = new Map([['inner', inner]]);
    const states = await failed(outer, workflows);
    expect(await repair(states, new Map([['g/first', { value: 'good' }]]), outer, workflows)).toEqual({
      outputs: { v: 'good' },
      runs: ['g/first', 'g/bad', 'after'],
    });
    expect(await repair(states, new Map([['g/bad', { value: 'good' }]]), outer, workflows)).toEqual({
      outputs: { v: 'good' },
      runs: ['g/bad', 'after'],
    });
  });

  it('keeps a failure that gave something in its place', async () => {
    const stored = workflow(
      [
        { id: 'soft', type: 'test:fail', onError: 'continue' },
        { id: 'next', type: 'test:counted' },
        { id: 'bad', type: 'test:picky' },
      ],
      ['soft.value > next.value'],
    );
    const states = await failed(stored);
    const kept = entriesForRepair({ workflow: stored, workflows: new Map(), states });
    expect([...kept.keys()]).toEqual(['soft', 'next']);
  });

  it('drops what waits, and what a dropped node ran inside', () => {
    const state = (nodeId: string, more = {}) =>
      [nodeId, { nodeId, type: 't', status: 'succeeded', result: {}, startedAt: '', finishedAt: '', ...more }] as const;
    const states = new Map<string, any>([
      state('a'),
      state('a:1/n'),
      state('a#2:1/n'),
      state('ab'),
      state('w', { finishedAt: null, result: undefined, waiting: {} }),
    ]);
    const stored = workflow(
      ['a', 'ab', 'w'].map((id) => ({ id, type: 'test:give' })),
      [],
    );
    const kept = (replaced: string[]) => [
      ...entriesForRepair({ workflow: stored, workflows: new Map(), states, replaced }).keys(),
    ];
    expect(kept([])).toEqual(['a', 'a:1/n', 'a#2:1/n', 'ab']);
    expect(kept(['a'])).toEqual(['ab']);
    expect(kept(['a:1/n'])).toEqual(['ab']);
  });
});
