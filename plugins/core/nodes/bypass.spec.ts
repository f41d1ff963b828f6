import type { JsonObject, StoredWorkflow } from '@errand/contracts';
import { runWorkflow, workflowOfNode } from '@errand/engine';
import { nodeTypes, optionsFor } from '../test/run-core-node.js';
import { nodes } from './index.js';

/** The outputs of a bypassed node, by name; null for an output without a value. */
async function bypassed(type: string, args: JsonObject): Promise<JsonObject> {
  const stored = workflowOfNode(nodeTypes.get(type)!, args);
  const [node, ...rest] = stored.nodes;
  return runWorkflow({ ...stored, nodes: [{ ...node!, bypassed: true }, ...rest] }, {}, optionsFor());
}

const LIST = [3, 1, 2];
const PERSON = { name: 'Ada' };

/** By node type: the inputs, and the outputs of the bypassed node. */
const BYPASSES: Record<string, [inputs: JsonObject, outputs: JsonObject]> = {
  'core:template': [{ template: 'Dear {{name}}', data: PERSON }, { text: 'Dear {{name}}' }],
  'core:join': [{ parts: ['first', 'second'], separator: ', ' }, { text: 'first' }],
  'core:split': [{ text: 'a,b' }, { parts: [] }],
  'core:replace': [{ text: 'text', search: 'x', replacement: 'y' }, { text: 'text' }],
  'core:regex': [{ text: 'text', pattern: 'x', op: 'replace' }, { result: 'text' }],
  'core:case': [{ text: 'text', style: 'upper' }, { text: 'text' }],
  'core:math': [{ op: 'add', a: 2, b: 3 }, { result: 2 }],
  'core:round': [{ value: 1.5 }, { result: 1.5 }],
  'core:random': [{ min: 1, max: 6, seed: 'x' }, { value: 1 }],
  'core:compare': [{ a: true, op: 'eq', b: true }, { result: false }],
  'core:expression': [{ expression: 'name', data: PERSON }, { result: PERSON }],
  'core:json-path': [{ value: PERSON, path: '$.name' }, { value: PERSON }],
  'core:json': [{ value: '{}' }, { result: '{}' }],
  'core:object': [{ person: PERSON }, { value: {} }],
  'core:merge': [{ objects: [PERSON, { age: 36 }] }, { object: PERSON }],
  'core:pick': [{ object: PERSON, keys: [] }, { object: PERSON }],
  'core:omit': [{ object: PERSON, keys: ['name'] }, { object: PERSON }],
  'core:coalesce': [{ values: ['first', 'second'] }, { value: 'first' }],
  'core:length': [{ value: 7 }, { length: 0 }],
  'core:filter': [{ items: LIST, condition: 'false' }, { items: LIST }],
  'core:map': [{ items: LIST, expression: '0' }, { items: LIST }],
  'core:sort': [{ items: LIST }, { items: LIST }],
  'core:group': [{ items: LIST }, { groups: {} }],
  'core:dedupe': [{ items: [1, 1] }, { items: [1, 1] }],
  'core:aggregate': [{ items: LIST, op: 'sum' }, { result: 0 }],
  'core:slice': [{ value: LIST, start: 1 }, { value: LIST }],
  'core:flatten': [{ items: [[1]] }, { items: [[1]] }],
  'core:zip': [{ lists: [LIST, [4, 5, 6]] }, { items: LIST }],
  'core:chunk': [{ items: LIST, size: 1 }, { chunks: LIST }],
  'core:range': [{ start: 1, end: 3 }, { items: [] }],
  'core:csv': [{ text: 'a\r\n1' }, { result: 'a\r\n1' }],
  'core:xml': [{ op: 'parse', value: '<a/>' }, { value: '<a/>' }],
  'core:base64': [{ text: 'text' }, { text: 'text' }],
  'core:hash': [{ text: 'text' }, { hash: 'text' }],
  'core:uuid': [{}, { uuid: '' }],
  'core:url-parse': [{ url: 'https://example.com' }, { parts: {} }],
  'core:url-build': [{ base: 'https://example.com', path: ['a'] }, { url: 'https://example.com' }],
  'core:now': [{ timeZone: 'Europe/Berlin' }, { time: '' }],
  'core:time-format': [{ time: '2026-01-31', format: 'YYYY' }, { text: '2026-01-31' }],
  'core:time-parse': [{ text: '31.01.2026', format: 'DD.MM.YYYY' }, { time: '31.01.2026' }],
  'core:time-add': [{ time: '2026-01-31', days: 1 }, { time: '2026-01-31' }],
  'core:time-difference': [{ from: '2026-01-31', to: '2026-02-01' }, { difference: 0 }],
  'core:delay': [{ ms: 600_000, value: PERSON }, { value: PERSON }],
  'core:wait': [{ ms: 600_000, value: 'text' }, { value: 'text' }],
  'core:http': [
    { url: 'https://example.com', method: 'POST', body: 'sent', headers: { a: '1' } },
    { status: 0, headers: {}, body: null },
  ],
  'core:llm': [
    { prompt: 'text', system: 'Be brief.', model: 'm', messages: [{ role: 'user', content: 'before' }] },
    { text: 'text', reasoning: '', json: null, toolCalls: [], finishReason: '', model: '', usage: {} },
  ],
  'core:if': [
    { condition: false, value: PERSON },
    { true: PERSON, false: null },
  ],
  'core:switch': [
    { key: 'a', value: PERSON, cases: ['a', 'b'] },
    { a: null, b: null, default: PERSON },
  ],
  'core:try': [
    { value: PERSON, fallback: 'instead' },
    { value: PERSON, error: null },
  ],
  'core:forEach': [{ items: LIST, workflowId: 'unknown' }, { results: LIST }],
  'core:loop': [
    { value: PERSON, workflowId: 'unknown', maxIterations: 5 },
    { value: PERSON, iterations: 0 },
  ],
  'core:tool': [{ toolId: 'x:y', arguments: PERSON }, { result: PERSON }],
  'core:external': [{ prompt: 'May I?' }, { result: null }],
  'core:echo': [{ value: PERSON }, { value: PERSON }],
};

describe('Bypassed core nodes', () => {
  it('The table has the bypass outputs of every core node', () => {
    expect(Object.keys(BYPASSES).toSorted()).toEqual(nodes.map(({ type }) => type).toSorted());
  });

  it.each(Object.entries(BYPASSES))('A bypassed %s passes on the expected outputs', async (type, [inputs, outputs]) => {
    await expect(bypassed(type, inputs)).resolves.toEqual(outputs);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['core:delay', { ms: 5 }, { value: null }],
    ['core:wait', { ms: 5, value: null }, { value: null }],
    ['core:delay', { ms: 5, value: 0 }, { value: 0 }],
    ['core:csv', { mode: 'stringify', rows: [[1]] }, { result: [[1]] }],
    ['core:csv', {}, { result: null }],
    ['core:join', { parts: [] }, { text: '' }],
    ['core:join', { parts: [7, 'b'] }, { text: '7' }],
    ['core:join', { parts: [['a'], 'b'] }, { text: '' }],
    ['core:expression', { expression: 'a' }, { result: {} }],
    ['core:slice', { value: 'text' }, { value: 'text' }],
  ])('A bypassed %s with %j passes on %j', async (type, inputs, outputs) => {
    await expect(bypassed(type, inputs)).resolves.toEqual(outputs);
  });

  const rescue = (type: string): StoredWorkflow => ({
    nodes: [
      { id: 'bad', type: 'core:math', inputValues: { op: 'divide', a: 1, b: 0 } },
      { id: 'try', type: 'core:try', bypassed: true, inputValues: { fallback: 'instead' } },
      { id: 'after', type },
      { id: 'out', type: 'core:GroupOutput' },
    ],
    edges: [
      { source: 'bad', sourceHandle: 'result', target: 'try', targetHandle: 'value' },
      { source: 'try', sourceHandle: 'value', target: 'after', targetHandle: 'value' },
      { source: 'after', sourceHandle: 'value', target: 'out', targetHandle: 'value' },
    ],
    interfaceInputs: {},
    interfaceOutputs: { value: { dataFlowType: 'WILDCARD' } },
  });

  it('A bypassed core:try does not catch a failure', async () => {
    await expect(runWorkflow(rescue('core:echo'), {}, optionsFor())).rejects.toMatchObject({
      message: expect.stringContaining('division by zero'),
    });
  });

  it('The branch that a bypassed core:if does not take is skipped', async () => {
    const states: string[] = [];
    const workflow: StoredWorkflow = {
      nodes: [
        { id: 'if', type: 'core:if', bypassed: true, inputValues: { condition: false, value: 1 } },
        { id: 'yes', type: 'core:echo' },
        { id: 'no', type: 'core:echo' },
      ],
      edges: [
        { source: 'if', sourceHandle: 'true', target: 'yes', targetHandle: 'value' },
        { source: 'if', sourceHandle: 'false', target: 'no', targetHandle: 'value' },
      ],
    };
    await runWorkflow(
      workflow,
      {},
      optionsFor({
        emit: (event) => void (event.event === 'node' && states.push(`${event.state.nodeId} ${event.state.status}`)),
      }),
    );
    expect(states).toEqual(expect.arrayContaining(['yes succeeded', 'no skipped']));
  });
});
