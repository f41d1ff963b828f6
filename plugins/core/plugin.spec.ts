import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { parse } from 'yaml';
import type { JsonObject, JsonSchema } from '@errand/contracts';
import { runAtOnce } from '@errand/engine';
import { nodes, services } from './nodes/index.js';
import { runCoreNode } from './test/run-core-node.js';

interface Declared {
  id: string;
  description: string;
  parameters: {
    properties: Record<string, { description?: string; default?: unknown; enum?: unknown[]; type?: string | string[] }>;
    required?: string[];
    additionalProperties?: { description: string };
  };
  output?: JsonSchema;
  examples?: { description: string; arguments: JsonObject }[];
  tags: string[];
  implementation: { type: string; nodeType?: string; serviceName?: string; methodName?: string };
}

const plugin: { tools: Declared[] } = parse(readFileSync(join(__dirname, 'plugin.yaml'), 'utf8'));
const ofNodes = plugin.tools.filter(({ implementation }) => implementation.type === 'node');
const byType = new Map(nodes.map((node) => [node.type, node]));

/** Nodes without a tool. As tools, they would give an agent access outside of its inventory or have no use. */
const NODES_ONLY = ['core:forEach', 'core:if', 'core:loop', 'core:switch', 'core:tool', 'core:try'];
/** Nodes that need the network, a person or time. They have other tests. */
const NOT_TRIED_HERE = ['core:external', 'core:http', 'core:llm', 'core:wait'];

/** Nodes whose result differs from run to run. */
const CHANGING = ['core:now', 'core:random', 'core:uuid'];

/** The JSON Schema types of the types of slots. */
const SCHEMA_TYPES: Record<string, string | undefined> = {
  STRING: 'string',
  INTEGER: 'integer',
  FLOAT: 'number',
  BOOLEAN: 'boolean',
  OBJECT: 'object',
  ARRAY: 'array',
};

describe('plugin.yaml', () => {
  it.each(ofNodes.map((tool) => [tool.id, tool] as const))(
    'The tool %s has the parameters of its node',
    (_id, tool) => {
      const node = byType.get(tool.implementation.nodeType ?? '');
      const { properties, required = [] } = tool.parameters;
      const names = [...Object.keys(node?.inputs ?? {}), ...Object.keys(node?.config ?? {})];
      expect(Object.keys(properties).toSorted()).toEqual(names.toSorted());
      expect(tool.parameters.additionalProperties?.description).toBe(node?.otherInputs?.description);
      for (const [name, { type, default: value, enum: values }] of Object.entries(properties)) {
        const slot = node?.inputs[name];
        if (!slot) continue;
        expect([name, required.includes(name)]).toEqual([name, slot.required ?? false]);
        expect([name, value]).toEqual([name, slot.config?.default]);
        expect([name, values]).toEqual([name, slot.config?.suggestions]);
        // A text slot also takes numbers. A tool that allows this lists both types.
        expect([name, [type].flat()[0]]).toEqual([name, slot.multi ? 'array' : SCHEMA_TYPES[slot.dataFlowType]]);
      }
    },
  );

  it.each(ofNodes.map((tool) => [tool.id, tool] as const))(
    'The tool %s has descriptions, tags and examples',
    (_id, tool) => {
      expect(tool.description.length).toBeGreaterThan(40);
      expect(tool.tags).not.toEqual([]);
      expect(tool.examples).not.toBeUndefined();
      for (const [name, { description, enum: values }] of Object.entries(tool.parameters.properties))
        expect([name, description ?? values]).not.toEqual([name, undefined]);
    },
  );

  const examples = ofNodes
    .filter(({ id }) => !NOT_TRIED_HERE.includes(id))
    .flatMap(({ id, output, examples: given = [] }) =>
      given.map(({ description, arguments: args }) => [id, description, args, output ?? {}] as const),
    );

  it.each(examples)('The example of %s runs: %s', async (id, _description, args, output) => {
    const result = await runCoreNode(id, args);
    expect(new Ajv2020().validate(output, result)).toBe(true);
    expect(result).not.toBeNull();
  });

  it.each(examples.filter(([id]) => !CHANGING.includes(id)))(
    'The example of %s has the same result without the engine: %s',
    async (id, _description, args) => {
      const type = byType.get(ofNodes.find((tool) => tool.id === id)?.implementation.nodeType ?? '');
      const ended = type && runAtOnce(type, args);
      if (ended) expect(ended.result).toEqual(await runCoreNode(id, args));
      else expect(type).toBeDefined();
    },
  );

  it('Every node that is useful alone has a tool', () => {
    const tools = ofNodes.map(({ implementation }) => implementation.nodeType!);
    expect([...tools, ...NODES_ONLY].toSorted()).toEqual(nodes.map(({ type }) => type).toSorted());
  });

  it('All named services and methods exist', () => {
    for (const { implementation } of plugin.tools.filter((tool) => tool.implementation.type === 'service')) {
      const service = services.find(({ name }) => name === implementation.serviceName);
      expect(service?.methods).toHaveProperty(implementation.methodName ?? '');
    }
  });

  it('Every tool id is unique', () => {
    const ids = plugin.tools.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('The core node types', () => {
  it.each(nodes.map((node) => [node.type, node] as const))(
    'The node type %s and its slots have descriptions',
    (type, node) => {
      expect(type).toMatch(/^core:[a-z][a-zA-Z0-9-]*$/);
      expect(node.description.length).toBeGreaterThan(20);
      for (const slot of [...Object.values(node.inputs), ...Object.values(node.outputs)]) {
        expect(slot.description).toBeTruthy();
      }
    },
  );

  it('Every node type is unique', () => {
    expect(byType.size).toBe(nodes.length);
  });
});
