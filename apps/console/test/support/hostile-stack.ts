import type { Client } from '../../../../test/support/client.js';
import type { Files } from '../../../../test/support/write-files.js';
import { HOSTILE_TEXTS, LONE_SURROGATE } from './hostile-texts.js';

const ALL = HOSTILE_TEXTS.filter((text) => text.length < 1_000);
const JOINED = ALL.join('\n');
const SLOT = { dataFlowType: 'WILDCARD' };

const NODES = `
const slot = { dataFlowType: 'WILDCARD' };
module.exports = { nodes: [
  { type: 'hostile:say', description: 'd', inputs: { texts: slot }, outputs: { value: slot },
    run: ({ texts }, { log, progress }) => {
      texts.forEach((text, index) => { log(text); progress(index / texts.length, text); });
      return { value: { list: texts, keys: Object.fromEntries(texts.map((text) => [text, text])) } };
    } },
  { type: 'hostile:fail', description: 'd', inputs: { text: slot }, outputs: { value: slot },
    run: ({ text }) => { throw new Error(text); } },
] };`;

const tool = (name: string, implementation: object, properties: object) => ({
  id: `hostile:${name}`,
  displayName: ALL[0],
  description: JOINED,
  tags: ALL.filter((text) => text.length <= 60).slice(0, 10),
  parameters: { type: 'object', properties, description: JOINED },
  implementation,
});
const text = { type: 'string', description: JOINED, default: ALL[4], enum: undefined, title: ALL[5] };

/** Parameters with hostile names, of each kind that a form has a control for. */
const FORM = Object.fromEntries(
  [
    { type: 'string' },
    { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] },
    { type: 'array', items: { type: 'string' }, default: ['one', 'two'] },
    { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: { type: 'string' } },
  ].map((schema, n) => [`${n} gpj.\u202Eexe \u001B[31m <img data-hostile src=x>`, schema]),
);

/** JSON is YAML as well. */
const PLUGIN = {
  name: 'hostile',
  displayName: ALL[0],
  version: '1.0.0',
  description: JOINED,
  nodes: { entry: 'nodes/index.js' },
  tools: [
    tool('say', { type: 'node', nodeType: 'hostile:say' }, { texts: { type: 'array', description: JOINED } }),
    tool('fail', { type: 'node', nodeType: 'hostile:fail' }, { text }),
    tool('ask', { type: 'external' }, { text }),
    tool('form', { type: 'external' }, FORM),
  ],
};

const node = (id: string, type: string, inputValues = {}) => ({ id, type, inputValues, displayName: id });
const IDS = ALL.slice(0, 20);

/** A library whose names, descriptions, tags and node ids are hostile. Some of its files do not load. */
export const HOSTILE_LIBRARY: Files = {
  'plugins/hostile/plugin.yaml': JSON.stringify(PLUGIN),
  'plugins/hostile/nodes/index.js': NODES,
  'tools/broken.tool.json': JSON.stringify({ toolId: JOINED, [ALL[0] ?? '']: ALL[1] }),
  'workflows/hostile.json': {
    name: ALL[0],
    description: JOINED,
    nodes: [...IDS.map((id) => node(id, 'core:echo', { value: id })), node('out', 'core:GroupOutput')],
    edges: IDS.map((id) => ({ source: id, sourceHandle: 'value', target: 'out', targetHandle: id })),
    interfaceOutputs: Object.fromEntries(IDS.map((id) => [id, SLOT])),
  },
};

/** What the walk needs to open pages of things. */
export interface Seeded {
  invocations: string[];
  refusals: string[];
  /** The number of kinds of places that have hostile texts. */
  places: number;
}

/** Fills a stack: hostile texts in every place that a caller, a model or a tool can write to. */
export async function seedHostile(client: Client): Promise<Seeded> {
  const accept = async (body: object) => (await client.post('/v1/invocations', body)).body.id;
  const say = { toolId: 'hostile:say', arguments: { texts: ALL, [ALL[0] ?? '']: ALL[4] } };
  const told = {
    metadata: { note: JOINED.slice(0, 2_000), [ALL[4] ?? '']: ALL[0] },
    callback: { url: `http://127.0.0.1:9/${encodeURIComponent(ALL[4] ?? '')}?${encodeURIComponent(ALL[0] ?? '')}` },
  };
  const said = await client.invoke({ toolId: 'core:echo', arguments: { value: { list: ALL, LONE_SURROGATE } } });
  const ids = [
    said.id,
    await accept({ calls: [{ toolId: 'hostile:say', arguments: { texts: ALL } }], ...told, session: ALL[0] }),
    await accept({ toolId: 'hostile:fail', arguments: { text: JOINED }, session: ALL[4], options: { attempts: 1 } }),
    await accept({ toolId: 'hostile:ask', arguments: { text: JOINED } }),
    await accept({ toolId: 'workflow:hostile', arguments: {} }),
    await accept({
      text: `${JOINED}\n<ACTION><core:echo><value><![CDATA[${ALL[4]}]]></value></core:echo></ACTION>`,
    }),
    ...(await Promise.all(
      HOSTILE_TEXTS.map((one) =>
        accept({ toolId: 'hostile:fail', arguments: { text: one }, session: one.slice(0, 200) }),
      ),
    )),
  ].filter((id) => id !== undefined);
  await client.post('/v1/invocations', say);
  for (const one of HOSTILE_TEXTS.slice(0, 20)) {
    await client.post('/v1/invocations', { text: `<ACTION><core:ecko><value>${one}</value></core:ecko></ACTION>` });
    await client.post('/v1/invocations', { toolId: one.slice(0, 200), arguments: { [one]: one } });
  }
  await client.post('/v1/queues/scripts/pause', { note: JOINED.slice(0, 900) });
  const ended = ids.slice(0, 3).concat(ids.slice(4, 6));
  await Promise.all(ended.map((id) => client.untilEnded(id)));
  const { body } = await client.get<{ items?: { id: string }[] }>('/v1/refusals?limit=3');
  return { invocations: ids, refusals: (body.items ?? []).map(({ id }) => id), places: 17 };
}
