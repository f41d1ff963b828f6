import type { Json, JsonObject, StoredNode, StoredWorkflow } from '@errand/contracts';
import { edge, nodeType, options, TYPES, workflow } from '../../test/workflow-kit.js';
import { checkWorkflow, inputsOfNode, runWorkflow, workflowOfNode } from '../index.js';

const ANY = { dataFlowType: 'WILDCARD' };

/** Returns its inputs as a list of name and value, in their order. */
const collect = nodeType('test:collect', ['key'], (inputs) => ({ value: Object.entries(inputs) }), {
  otherInputs: ANY,
});
const strict = nodeType('test:strict', [], (inputs) => ({ value: Object.entries(inputs) }), {
  inputs: { formula: { dataFlowType: 'STRING', required: true } },
  otherInputs: { dataFlowType: 'INTEGER' },
});
const several = nodeType('test:several', [], (inputs) => ({ value: Object.entries(inputs) }), {
  otherInputs: { ...ANY, multi: true },
});
const types = [...TYPES, collect, strict, several];
const nodeTypes = new Map(types.map((type) => [type.type, type]));

const node = (type: string, inputValues: JsonObject = {}): StoredNode => ({ id: 'n', type, inputValues });
const check = (stored: StoredWorkflow) => checkWorkflow(stored, { nodeTypes, workflows: new Map() });
const run = (stored: StoredWorkflow, inputs: JsonObject = {}) => runWorkflow(stored, inputs, options(types));
const given = (text: string): JsonObject => JSON.parse(text);

/** A workflow of `n` with edges into the inputs of these names. The workflow inputs have the same names. */
function wired(type: string, names: string[], inputValues: JsonObject = {}): StoredWorkflow {
  const stored = workflow([node(type, inputValues)], ['n.value > out.y'], { inputs: names, outputs: ['y'] });
  const edges = names.map((name) => ({ source: 'in', sourceHandle: name, target: 'n', targetHandle: name }));
  return { ...stored, edges: [...edges, ...stored.edges] };
}

describe('Inputs of any name', () => {
  it('Stored values and connections arrive under their names: declared ones, stored ones, connected ones', async () => {
    const stored = wired('test:collect', ['z', 'stored', 'b'], { stored: 0, own: 1, key: 'k' });
    expect(check(stored)).toEqual([]);
    const { y } = await run(stored, { b: 'B', z: [1], stored: 2 });
    expect(y).toEqual([
      ['key', 'k'],
      ['stored', 2],
      ['own', 1],
      ['z', [1]],
      ['b', 'B'],
    ]);
  });

  it('The names of prototypes are ordinary names, stored and connected', async () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '', 'a/b~c', 'x__0'];
    const values = Object.fromEntries(names.map((name): [string, Json] => [name, { name }]));
    const pairs = names.map((name) => [name, { name }]);
    expect(check(wired('test:collect', names))).toEqual([]);
    expect(await run(wired('test:collect', names), values)).toEqual({ y: pairs });
    expect(await run(wired('test:collect', [], given(JSON.stringify(values))))).toEqual({ y: pairs });
    expect(Object.prototype).not.toHaveProperty('name');
  });

  it('A workflow input without a value is left out, and null is a value', async () => {
    const { y } = await run(wired('test:collect', ['a', 'b']), { b: null });
    expect(y).toEqual([['b', null]]);
  });

  it('Two connections into one name are a problem', () => {
    const stored = wired('test:collect', ['a']);
    stored.edges.push(edge('in.a', 'n.a'));
    expect(check(stored)).toMatchObject([
      {
        path: '/edges/2/targetHandle',
        message: expect.stringContaining("Input 'a' of node 'n' (test:collect) takes one"),
      },
    ]);
  });

  it('Values of any name are checked by the slot, with a JSON Pointer to the name', () => {
    expect(check(workflow([node('test:strict', { formula: 'f', 'a/b': 'text' })], []))).toEqual([
      {
        path: '/nodes/0/inputValues/a~1b',
        message: "Input 'a/b' of node 'n' (test:strict) must be an integer, got a string",
      },
    ]);
  });

  it('A missing required input names the similar input that the node has', () => {
    expect(check(workflow([node('test:strict', { formla: 1, other: 2 })], []))).toEqual([
      {
        path: '/nodes/0/inputValues/formula',
        message:
          "Input 'formula' of node 'n' (test:strict) is missing: connect it or give it a value; the node has an input 'formla', did you mean 'formula'?",
        code: 'missing_input',
      },
    ]);
  });

  it('Other node types still refuse names that they do not declare', () => {
    expect(check(workflow([node('test:give', { valu: 1 })], []))).toMatchObject([{ suggestion: 'value' }]);
  });

  it('Two nodes of one type do not share their names, and the type stays as it is', async () => {
    const stored = workflow(
      [node('test:collect', { a: 1 }), { ...node('test:collect', { b: 2 }), id: 'm' }],
      ['m.value > out.y'],
      {
        outputs: ['y'],
      },
    );
    expect(await run(stored)).toEqual({ y: [['b', 2]] });
    expect(Object.keys(collect.inputs)).toEqual(['key']);
  });

  it('A name that takes several connections collects their values by the number of their handle', async () => {
    const stored = workflow(
      [node('test:several', { single: 'one' })],
      ['in.a > n.list__1', 'in.b > n.list__0', 'n.value > out.y'],
      { inputs: ['a', 'b'], outputs: ['y'] },
    );
    expect(check(stored)).toEqual([]);
    expect(await run(stored, { a: 'A', b: 'B' })).toEqual({
      y: [
        ['single', ['one']],
        ['list', ['B', 'A']],
      ],
    });
  });

  it('A call of the node as a tool passes every argument on', async () => {
    const stored = workflowOfNode(collect, given('{"__proto__": 1, "b": 2, "key": "k"}'));
    expect(await run(stored)).toEqual({
      value: [
        ['key', 'k'],
        ['__proto__', 1],
        ['b', 2],
      ],
    });
  });

  it('The inputs of a node are those of its type and those that it uses', () => {
    const stored = wired('test:several', ['list__0', 'list__1'], { single: 1 });
    expect(Object.keys(inputsOfNode(several, stored.nodes[1]!, stored.edges))).toEqual(['single', 'list']);
    expect(inputsOfNode(nodeTypes.get('test:give')!, node('test:give', { x: 1 }), [])).toEqual({ value: ANY });
  });

  it('A workflow with 20,000 names is checked in linear time', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `name ${index}`);
    expect(check(wired('test:collect', names))).toEqual([]);
    expect(check(wired('test:strict', names))).toHaveLength(1);
  });
});
