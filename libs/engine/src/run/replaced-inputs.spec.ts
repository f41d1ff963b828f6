import { failure, nodeType, options, TYPES, workflow } from '../../test/workflow-kit.js';
import { MemoryJournal } from '../journal/node-journal.js';
import { runWorkflow } from './run-workflow.js';

const group = (id: string, referencedWorkflowId: string) => ({
  id,
  type: 'core:NodeGroup',
  configValues: { referencedWorkflowId },
});

/** Fails unless its input is 'good', and records its runs. */
const picky = (runs: string[]) =>
  nodeType('test:picky', ['value'], ({ value = null }, { nodeId }) => {
    runs.push(nodeId);
    if (value !== 'good') throw new Error(`${JSON.stringify(value)} is not good`);
    return { value };
  });
const counted = (runs: string[]) =>
  nodeType('test:counted', ['value'], ({ value = null }, { nodeId }) => (runs.push(nodeId), { value }));

/** a → bad → after, and an independent node `apart`. */
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

/** Continues from the succeeded nodes, as a repair does. */
async function repair(
  states: Awaited<ReturnType<typeof failed>>,
  replacedInputs: ReadonlyMap<string, { value: string }>,
  stored = STORED,
  workflows = new Map(),
) {
  const runs: string[] = [];
  const kept = new Map([...states].filter(([, { status }]) => status === 'succeeded'));
  const run = options([...TYPES, picky(runs), counted(runs)], {
    journal: new MemoryJournal(kept),
    replacedInputs,
    workflows,
  });
  return { outputs: await runWorkflow(stored, {}, run).catch((error: Error) => error.message), runs };
}

describe('Replaced inputs in a repair', () => {
  it('A repair runs the failed step again and keeps the other results', async () => {
    expect(await repair(await failed(), new Map())).toEqual({
      outputs: `Node 'bad' (test:picky) failed: "evil" is not good`,
      runs: ['bad'],
    });
  });

  it('A repair uses the given inputs instead of the connected ones', async () => {
    expect(await repair(await failed(), new Map([['bad', { value: 'good' }]]))).toEqual({
      outputs: { v: 'good' },
      runs: ['bad', 'after'],
    });
  });

  it('A repair does not need the source of a replaced input', async () => {
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

  it('A repair can replace inputs inside a node group', async () => {
    const inner = workflow([{ id: 'bad', type: 'test:picky' }], ['bad.value > out.y'], { id: 'inner', outputs: ['y'] });
    const outer = workflow([group('g', 'inner')], ['g.y > out.v'], { outputs: ['v'] });
    const workflows = new Map([['inner', inner]]);
    const states = await failed(outer, workflows);
    expect(await repair(states, new Map([['g/bad', { value: 'good' }]]), outer, workflows)).toEqual({
      outputs: { v: 'good' },
      runs: ['g/bad'],
    });
  });

  it('A repair checks the given inputs like connected ones', async () => {
    const typed = nodeType('test:typed', [], () => ({}), { inputs: { value: { dataFlowType: 'INTEGER' } } });
    const stored = workflow([{ id: 'n', type: 'test:typed' }], []);
    const run = options([typed], { replacedInputs: new Map([['n', { value: 'x' }]]) });
    expect(await failure(runWorkflow(stored, {}, run))).toMatchObject({
      type: 'ParameterValidationError',
      message: "Node 'n' (test:typed) failed: input 'value' must be an integer, got a string",
    });
  });

  it('A value that replaces a stream is one chunk', async () => {
    const reading = nodeType(
      'test:reading',
      [],
      async (_inputs, { streams }) => {
        const got = [];
        for await (const chunk of streams.value!) got.push(chunk);
        return { value: got };
      },
      { inputs: { value: { dataFlowType: 'WILDCARD', isStream: true } } },
    );
    const stored = workflow(
      [
        { id: 'bad', type: 'test:fail' },
        { id: 'n', type: 'test:reading' },
      ],
      ['bad.value > n.value', 'n.value > out.v'],
      { outputs: ['v'] },
    );
    const run = options([...TYPES, reading], { replacedInputs: new Map([['n', { value: 'given' }]]) });
    await expect(runWorkflow(stored, {}, run)).resolves.toEqual({ v: ['given'] });
  });
});
