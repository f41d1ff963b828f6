import type { JsonObject } from '@errand/contracts';
import { useStack } from './support/start-stack.js';

/**
 * Names that every JavaScript object inherits. JSON text keeps `__proto__` as an ordinary key; an object literal does
 * not.
 */
const slots = (more: string) => `{
  "constructor": {"dataFlowType": "STRING", "required": true},
  "__proto__": {"dataFlowType": "OBJECT"${more}},
  "prototype": {"dataFlowType": "INTEGER", "config": {"default": 3}},
  "hasOwnProperty": {"dataFlowType": "WILDCARD", "config": {"default": null}}
}`;
const NAMES = ['constructor', '__proto__', 'prototype', 'hasOwnProperty'];
const edge = (source: string, target: string, name: string) =>
  JSON.stringify({ source, sourceHandle: name, target, targetHandle: name });
const mirror = (more: string) => `{
  "nodes": [{"id": "in", "type": "core:GroupInput"}, {"id": "out", "type": "core:GroupOutput"}],
  "edges": [${NAMES.map((name) => edge('in', 'out', name)).join()}],
  "interfaceInputs": ${slots(more)},
  "interfaceOutputs": ${slots('')}
}`;
const GROUP = `{
  "nodes": [
    {"id": "in", "type": "core:GroupInput"},
    {"id": "group", "type": "core:NodeGroup", "configValues": {"referencedWorkflowId": "mirror"}},
    {"id": "out", "type": "core:GroupOutput"}
  ],
  "edges": [${NAMES.flatMap((name) => [edge('in', 'group', name), edge('group', 'out', name)]).join()}],
  "interfaceInputs": ${slots('')},
  "interfaceOutputs": ${slots('')}
}`;

const { client } = useStack({
  with: ['worker'],
  library: {
    'workflows/mirror.json': mirror(', "config": {"default": {"a": 1}}'),
    'workflows/group.json': GROUP,
    'workflows/one.json': `{
      "nodes": [{"id": "in", "type": "core:GroupInput"}, {"id": "out", "type": "core:GroupOutput"}],
      "edges": [{"source": "in", "sourceHandle": "__proto__", "target": "out", "targetHandle": "value"}],
      "interfaceInputs": {"__proto__": {"dataFlowType": "STRING", "required": true}},
      "interfaceOutputs": {"value": {"dataFlowType": "STRING"}}
    }`,
  },
});

/** The result as text, because a comparison of objects skips these names. */
async function resultOf(body: object | string): Promise<string> {
  const { body: accepted } = await client.post('/v1/invocations', body);
  const { id } = accepted as { id: string };
  expect({ accepted, id }).toMatchObject({ id: expect.stringMatching(/^inv_/) });
  const { body: ended } = await client.get<{ status: string; result: JsonObject }>(`/v1/invocations/${id}?wait=60`);
  expect(ended).toMatchObject({ status: 'succeeded' });
  return JSON.stringify(ended.result);
}

afterAll(() => expect('polluted' in {}).toBe(false));

it('A workflow with inputs called constructor and __proto__ has no problems and shows them in its schema', async () => {
  expect((await client.get('/v1/tools/problems')).body).toMatchObject({ items: [] });
  const { parameters } = (await client.get<{ parameters: JsonObject }>('/v1/tools/workflow:mirror')).body;
  expect(Object.keys(parameters.properties!)).toEqual(NAMES);
});

it.each(['mirror', 'group'])('A run of the workflow %s gets these inputs by JSON and returns them', async (id) => {
  const args = '{"constructor":"c","__proto__":{"polluted":true},"prototype":5,"hasOwnProperty":[1]}';
  expect(await resultOf(`{"toolId":"workflow:${id}","arguments":${args}}`)).toBe(args);
});

it('A run of a workflow gets these inputs from an ACTION block', async () => {
  const inside = '<constructor>c</constructor><__proto__><polluted>1</polluted></__proto__><prototype>5</prototype>';
  const text = `<ACTION><workflow:mirror>${inside}</workflow:mirror></ACTION>`;
  expect(await resultOf({ text })).toBe(
    '{"constructor":"c","__proto__":{"polluted":"1"},"prototype":5,"hasOwnProperty":null}',
  );
});

it('A run of a workflow gets these inputs from a TAM block', async () => {
  const fields = 'command:「始」workflow:mirror「末」 constructor:「始」c「末」 __proto__:「始」{"polluted":1}「末」';
  expect(await resultOf({ text: `<|[REQUEST_TOOL]|>${fields}<|[END_TOOL]|>` })).toBe(
    '{"constructor":"c","__proto__":{"polluted":1},"prototype":3,"hasOwnProperty":null}',
  );
});

it('Missing inputs with these names get their defaults', async () => {
  expect(await resultOf({ toolId: 'workflow:mirror', arguments: { constructor: 'c' } })).toBe(
    '{"constructor":"c","__proto__":{"a":1},"prototype":3,"hasOwnProperty":null}',
  );
});

it('The result of an earlier step reaches an input with such a name', async () => {
  const calls = `[
    {"toolId":"workflow:one","arguments":{"__proto__":"x"}},
    {"toolId":"workflow:mirror","arguments":{"constructor":"{{steps.1.result}}","__proto__":{"polluted":"{{steps.1.result}}"}}}
  ]`;
  expect(await resultOf(`{"calls":${calls}}`)).toBe(
    '["x",{"constructor":"x","__proto__":{"polluted":"x"},"prototype":3,"hasOwnProperty":null}]',
  );
});

it.each([
  ['workflow:mirror', '{}', [{ path: '/constructor', message: "Missing required parameter 'constructor'" }]],
  ['workflow:one', '{}', [{ path: '/__proto__', message: "Missing required parameter '__proto__'" }]],
  [
    'workflow:one',
    '{"__proto__":5}',
    [{ path: '/__proto__', message: "'__proto__' must be a string, got an integer" }],
  ],
  ['workflow:mirror', '{"constructor":"c","__proto__":[]}', [{ path: '/__proto__' }]],
  ['workflow:mirror', '{"constructor":"c","__proto_":{}}', [{ path: '/__proto_' }]],
  [
    'core:echo',
    '{"value":1,"__proto__":{"polluted":1}}',
    [{ path: '/__proto__', message: "Unknown parameter '__proto__'" }],
  ],
  ['core:echo', '{"value":1,"constructor":1}', [{ path: '/constructor', message: "Unknown parameter 'constructor'" }]],
])('A call of %s with %s is refused with the path of the error', async (toolId, args, errors) => {
  const { status, body } = await client.post('/v1/invocations', `{"toolId":"${toolId}","arguments":${args}}`);
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: errors.map((each) => expect.objectContaining(each)),
  });
});
