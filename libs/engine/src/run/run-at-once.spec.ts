import type { JsonObject, NodeType } from '@errand/contracts';
import { resultOf, runAtOnce, runWorkflow, workflowOfNode } from '../index.js';

const text = { dataFlowType: 'STRING', required: true } as const;
const base = {
  type: 'test:node',
  description: 'For the test',
  effects: 'none',
  inputs: {
    value: { dataFlowType: 'WILDCARD', required: true },
    times: { dataFlowType: 'INTEGER', config: { default: 2 } },
  },
  outputs: { value: { dataFlowType: 'WILDCARD' } },
} as const;

let runs = 0;
beforeEach(() => (runs = 0));

function nodeType(run: NodeType['run'], over: Partial<NodeType> = {}): NodeType {
  const counted: NodeType['run'] = (inputs, context) => {
    runs++;
    return run(inputs, context);
  };
  return { ...base, run: counted, ...over };
}

async function inEngine(type: NodeType, args: JsonObject) {
  const lookups = { nodeTypes: new Map([[type.type, type]]), workflows: new Map() };
  const options = { ...lookups, invocationId: 'inv_1', callTool: async () => null };
  return resultOf(await runWorkflow(workflowOfNode(type, args), {}, options));
}

describe('runAtOnce', () => {
  it.each<[what: string, type: NodeType, args: JsonObject]>([
    ['the value of a single output', nodeType(({ value }) => ({ value: value ?? null })), { value: { a: [1, null] } }],
    ['a default input', nodeType(({ times }) => ({ value: times ?? null })), { value: 1 }],
    ['a number as text', nodeType(() => ({ value: 3 }), { outputs: { value: text } }), { value: 1 }],
    ['an output without a value', nodeType(() => ({})), { value: 1 }],
    [
      'several outputs, one without a value',
      nodeType(() => ({ b: 2 }), { outputs: { a: { dataFlowType: 'ANY' }, b: { dataFlowType: 'ANY' } } }),
      { value: 1 },
    ],
    [
      'settings and their defaults',
      nodeType((_, { config }) => ({ value: { ...config } }), { config: { x: { default: 1 }, y: {} } }),
      { value: 1, y: 2 },
    ],
    [
      'inputs of any name',
      nodeType((inputs) => ({ value: { ...inputs } }), { otherInputs: { dataFlowType: 'WILDCARD' } }),
      { value: 1, constructor: 2 },
    ],
  ])('It returns the same as the engine: %s', async (_, type, args) => {
    const ended = runAtOnce(type, args);
    expect(ended).toBeDefined();
    expect(ended?.result).toEqual(await inEngine(type, args));
  });

  it.each<[what: string, type: NodeType, args: JsonObject]>([
    ['an unknown input', nodeType(() => ({})), { value: 1, valu: 2 }],
    ['a missing input', nodeType(() => ({})), {}],
    ['an input of the wrong type', nodeType(() => ({})), { value: 1, times: 'x' }],
    ['an unknown output', nodeType(() => ({ valu: 1 })), { value: 1 }],
    ['an output that is no JSON', nodeType(() => ({ value: undefined as never, other: 1 })), { value: 1 }],
    [
      'an error of the code',
      nodeType(() => {
        throw new Error('broken');
      }),
      { value: 1 },
    ],
  ])('It leaves a failure to the engine: %s', async (_, type, args) => {
    expect(runAtOnce(type, args)).toBeUndefined();
    await expect((async () => inEngine(type, args))()).rejects.toThrow();
  });

  it.each<[what: string, over: Partial<NodeType>]>([
    ['without a declaration of its effects', { effects: undefined }],
    ['with effects', { effects: 'idempotent' }],
    ['that streams an output', { outputs: { value: { ...text, isStream: true } } }],
    ['that is an async function', { run: async () => ({ value: runs++ }) }],
    [
      'that is a generator',
      {
        run: async function* () {
          yield { value: runs++ };
        },
      },
    ],
  ])('It does not run code %s', (_, over) => {
    expect(
      runAtOnce(
        nodeType(() => ({ value: 1 }), over),
        { value: 1 },
      ),
    ).toBeUndefined();
    expect(runs).toBe(0);
  });

  it.each<[what: string, run: NodeType['run']]>([
    ['uses its context', (_, { log }) => (log('x'), { value: 1 })],
    [
      'uses its context and hides the error',
      (_, context) => {
        try {
          void context.park;
        } catch {
          return { value: 'hidden' };
        }
        return { value: 'allowed' };
      },
    ],
    ['returns a promise', () => Promise.reject(new Error('late'))],
  ])('Code that %s runs in the engine, from its second run on only there', (_, run) => {
    const type = nodeType(run);
    expect(runAtOnce(type, { value: 1 })).toBeUndefined();
    expect(runs).toBe(1);
    expect(runAtOnce(type, { value: 1 })).toBeUndefined();
    expect(runs).toBe(1);
  });
});
