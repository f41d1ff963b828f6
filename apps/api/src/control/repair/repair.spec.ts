import type { Definition, JsonObject, NodeState, NodeType, StoredNode, StoredWorkflow } from '@errand/contracts';
import { ProblemError } from '../../http/problem-error.js';
import { keepFinishedNodes } from './keep-nodes.js';
import { keepFinishedSteps } from './keep-steps.js';
import { readChanges } from './read-changes.js';

const node = (id: string, type = 't:n', more: object = {}): StoredNode => ({ id, type, ...more });
const group = (id: string, referencedWorkflowId: string) =>
  node(id, 'core:NodeGroup', { configValues: { referencedWorkflowId } });
const graph = (nodes: StoredNode[], ...edges: string[]): StoredWorkflow => ({
  nodes,
  edges: edges.map((text) => {
    const [source, target] = text.split('>');
    return { source: source!, sourceHandle: 'out', target: target!, targetHandle: 'in' };
  }),
});

/** `a` succeeded, `a!` failed, `a~` failed with outputs instead, `a?` waits. */
function journal(...entries: string[]): Map<string, NodeState> {
  return new Map(
    entries.map((entry) => {
      const sign = /[!~?]$/.exec(entry)?.[0];
      const nodeId = sign ? entry.slice(0, -1) : entry;
      const status = sign === '?' ? 'waiting_external' : sign ? 'failed' : 'succeeded';
      const result = sign === undefined || sign === '~' ? { result: {} } : {};
      return [nodeId, { nodeId, type: 't:n', status, ...result, startedAt: null, finishedAt: null }];
    }),
  );
}

const kept = (entries: string[], workflow: StoredWorkflow, replaced: string[] = [], workflows = {}) =>
  [...keepFinishedNodes(journal(...entries), workflow, workflows, new Set(replaced)).kept].toSorted();

describe('The nodes that a repair keeps', () => {
  const line = graph([node('a'), node('b'), node('c'), node('d')], 'a>b', 'b>c');

  it('A repair keeps nodes that have outputs', () => {
    expect(kept(['a', 'b!', 'd'], line)).toEqual(['a', 'd']);
    expect(kept(['a', 'b~', 'c!'], line)).toEqual(['a', 'b']);
    expect(kept(['a', 'b?', 'd'], line)).toEqual(['a', 'd']);
  });

  it('A repair re-runs nodes with changed inputs and all nodes that depend on them', () => {
    expect(kept(['a', 'b', 'c', 'd'], line, ['b'])).toEqual(['a', 'd']);
    expect(kept(['a', 'a/x', 'a:1/y', 'b', 'b#2/z', 'd'], line, ['a'])).toEqual(['d']);
  });

  it('A repair keeps a failed node if its failure was caught on every path', () => {
    expect(kept(['a!', 'b', 'c!'], line)).toEqual(['a', 'b']);
    const fork = graph([node('a'), node('caught'), node('b'), node('out')], 'a>caught', 'a>b', 'b>out');
    expect(kept(['a!', 'caught'], fork)).toEqual([]);
    const through = graph([node('a'), node('b'), node('caught')], 'a>b', 'b>caught');
    expect(kept(['a!', 'caught'], through)).toEqual(['a', 'caught']);
  });

  it('A repair keeps nodes inside a group that runs again, if nothing changed before them', () => {
    const workflows = { inner: graph([node('x'), node('y'), node('z')], 'x>y') };
    const outer = graph([group('g', 'inner'), node('after')], 'g>after');
    expect(kept(['g/x', 'g/y!', 'g/z', 'g!'], outer, [], workflows)).toEqual(['g/x', 'g/z']);
    expect(kept(['g/x', 'g/y', 'g/z', 'g', 'after'], outer, ['g/x'], workflows)).toEqual(['g/z']);
    expect(kept(['g/x', 'g/y', 'g/z', 'g', 'after'], outer, ['g'], workflows)).toEqual([]);
  });

  it('A repair handles a chain of 5,000 nodes', () => {
    const ids = Array.from({ length: 5_000 }, (_, n) => `n${n}`);
    const long = graph(
      ids.map((id) => node(id)),
      ...ids.slice(1).map((id, n) => `n${n}>${id}`),
    );
    expect(kept(ids, long, ['n2500'])).toHaveLength(2_500);
  });
});

function definition(workflow?: StoredWorkflow, workflows: Record<string, StoredWorkflow> = {}): Definition {
  const implementation = workflow ? { type: 'workflow', workflowId: 'w' } : { type: 'node', nodeType: 't:n' };
  return { tool: { implementation } as Definition['tool'], workflows: workflow ? { w: workflow, ...workflows } : {} };
}

describe('The changes of a repair', () => {
  const nodeTypes = new Map([
    ['t:n', { inputs: { text: { dataFlowType: 'STRING' }, times: {} } } as unknown as NodeType],
  ]);
  const inner = { ...graph([node('x')]), interfaceInputs: { name: { dataFlowType: 'STRING' } } };
  const flow = definition(graph([node('a'), node('0'), group('g', 'inner')]), { inner });
  const inputs = { inputs: { text: 'x' } };
  const problemsOf = (read: () => unknown) => {
    try {
      read();
    } catch (error) {
      if (error instanceof ProblemError) return error.more.errors;
    }
    throw new Error('expected problems, found none');
  };

  it('Changes name nodes by their keys, also in groups, and a node comes before a step of the same name', () => {
    const { nodes, steps } = readChanges({ a: inputs, 'g/x': inputs, '0': inputs }, [flow], nodeTypes);
    expect([...nodes.get(0)!.keys()]).toEqual(expect.arrayContaining(['a', 'g/x', '0']));
    expect(steps.size).toBe(0);
  });

  it('Changes name steps by their number, and nodes with the number of their step if there are several', () => {
    const { nodes, steps } = readChanges({ '1': inputs, '0/a': inputs }, [flow, definition()], nodeTypes);
    expect(steps).toEqual(new Map([[1, { text: 'x' }]]));
    expect(nodes.get(0)).toEqual(new Map([['a', { text: 'x' }]]));
    expect(problemsOf(() => readChanges({ a: inputs }, [flow, flow], nodeTypes))).toMatchObject([{ path: '/steps/a' }]);
  });

  it('Changes of unknown names are refused all at once with suggestions', () => {
    const wrong = { ax: inputs, a: { inputs: { txt: 1 } }, 'g/x': 3, g: { inputs: { nam: 1 } }, '': {} };
    expect(problemsOf(() => readChanges(wrong, [flow], nodeTypes))).toMatchObject([
      { path: '/steps/ax', message: "Unknown step or node 'ax'; known are 0, a, g, g/x" },
      { path: '/steps/a/inputs/txt', suggestion: 'text' },
      { path: '/steps/g~1x', message: 'must be {inputs: {…}}' },
      { path: '/steps/g/inputs/nam', suggestion: 'name' },
      { path: '/steps/' },
    ]);
  });

  it('A repair with very many unknown steps or inputs gets 100 problems', () => {
    const many = (of: unknown) => Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`unknown${n}`, of]));
    expect(problemsOf(() => readChanges(many(inputs) as JsonObject, [flow], nodeTypes))).toHaveLength(100);
    const change = { a: { inputs: many(1) }, 'g/x': { inputs: many(1) } } as JsonObject;
    expect(problemsOf(() => readChanges(change, [flow], nodeTypes))).toHaveLength(100);
  });

  it('A change inside a node that runs others is refused and points to that node', () => {
    expect(problemsOf(() => readChanges({ 'a:3/m': inputs }, [flow], nodeTypes))).toMatchObject([
      { path: '/steps/a:3~1m', message: expect.stringContaining("give 'a' other inputs"), suggestion: 'a' },
    ]);
  });

  it('A node that takes inputs of any name can get other values for the names that it uses', () => {
    const open: NodeType = { ...nodeTypes.get('t:n')!, type: 't:open', otherInputs: { dataFlowType: 'INTEGER' } };
    const types = new Map([...nodeTypes, [open.type, open]]);
    const uses = graph([node('a'), node('n', 't:open', { inputValues: { stored: 1 } })], 'a>n');
    const change = (given: JsonObject) => () => readChanges({ n: { inputs: given } }, [definition(uses)], types);
    expect(change({ stored: 2, in: 3 })().nodes.get(0)?.get('n')).toEqual({ stored: 2, in: 3 });
    expect(problemsOf(change({ store: 2 }))).toMatchObject([{ path: '/steps/n/inputs/store', suggestion: 'stored' }]);
    expect(problemsOf(change({ in: 'text' }))).toMatchObject([{ path: '/steps/n/inputs/in' }]);
    expect(problemsOf(change(JSON.parse('{"__proto__": 1}')))).toMatchObject([{ path: '/steps/n/inputs/__proto__' }]);
  });

  it('A changed input must have the type of its slot', () => {
    expect(problemsOf(() => readChanges({ a: { inputs: { text: [] } } }, [flow], nodeTypes))).toEqual([
      { path: '/steps/a/inputs/text', message: "Input 'text' of node 'a' must be a string, got a list" },
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('A change of %s finds no node', (key) => {
    const given = JSON.parse(`{${JSON.stringify(key)}: {"inputs": {}}}`) as object as Record<string, never>;
    expect(problemsOf(() => readChanges(given, [flow], nodeTypes))).toHaveLength(1);
  });
});

describe('The data that a repair copies', () => {
  const fields = (given: object) => new Map(Object.entries(given).map(([key, value]) => [key, JSON.stringify(value)]));
  const done = { status: 'succeeded', result: 1 };
  const definitions = [definition(), definition(), definition()];
  const previousRun = {
    journal: fields({ '1/a': { nodeId: 'a', ...done }, 'once:1': true }),
    state: fields({ '0': done, '1': { status: 'failed' }, '2': done, '1/a': { nodeId: 'a' }, progress: 0.5 }),
    answers: fields({ '1/a:1': { answer: { result: 1 } }, '1/b:1': { answer: { error: { message: 'no' } } } }),
  };
  const keptRun = (steps: object, needs: number[][]) =>
    keepFinishedSteps(previousRun, {
      definitions,
      changes: readChanges(steps as never, definitions, new Map()),
      needs,
    });

  it('A repair copies outcomes and answers with results, but no failures and no progress', () => {
    const { journal: copied, state, answers } = keptRun({}, [[], [], []]);
    expect([...copied.keys()]).toEqual(['1/a']);
    expect([...state.keys()].toSorted()).toEqual(['0', '1/a', '2']);
    expect([...answers.keys()]).toEqual(['1/a:1']);
  });

  it('A repair copies nothing of a step with changed arguments or of steps that need its result', () => {
    const { journal: copied, state, answers } = keptRun({ '1': { inputs: {} } }, [[], [], [1]]);
    expect([...state.keys()]).toEqual(['0']);
    expect(copied.size + answers.size).toBe(0);
  });
});
