import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type NodeType } from '@errand/contracts';
import { nodes, services } from './nodes/index.js';

interface Declared {
  id: string;
  description: string;
  parameters: { properties: Record<string, { default?: unknown; enum?: unknown[] }>; required?: string[] };
  implementation: { type: string; nodeType?: string; serviceName?: string; methodName?: string };
}

const plugin: { tools: Declared[] } = parse(readFileSync(join(__dirname, 'plugin.yaml'), 'utf8'));
const ofNodes = plugin.tools.filter(({ implementation }) => implementation.type === 'node');
const byType = new Map(nodes.map((node) => [node.type, node]));

/** What a tool says of a parameter, read from the slot behind it. */
const slotOf = (node: NodeType | undefined, name: string) => node?.inputs[name];

describe('plugin.yaml', () => {
  it.each(ofNodes.map((tool) => [tool.id, tool] as const))('says of %s what its node says', (_id, tool) => {
    const node = byType.get(tool.implementation.nodeType ?? '');
    const { properties, required = [] } = tool.parameters;
    expect(Object.keys(properties).toSorted()).toEqual(Object.keys(node?.inputs ?? {}).toSorted());
    for (const [name, { default: value, enum: values }] of Object.entries(properties)) {
      const slot = slotOf(node, name);
      expect([name, required.includes(name)]).toEqual([name, slot?.required ?? false]);
      expect([name, value]).toEqual([name, slot?.config?.default]);
      expect([name, values]).toEqual([name, slot?.config?.suggestions]);
    }
  });

  it('names only services and methods that are there', () => {
    for (const { implementation } of plugin.tools.filter((tool) => tool.implementation.type === 'service')) {
      const service = services.find(({ name }) => name === implementation.serviceName);
      expect(service?.methods).toHaveProperty(implementation.methodName ?? '');
    }
  });

  it('has each id once', () => {
    const ids = plugin.tools.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the core node types', () => {
  it.each(nodes.map((node) => [node.type, node] as const))('%s is described, slot by slot', (type, node) => {
    expect(type).toMatch(/^core:[a-z][a-z0-9-]*$/);
    expect(node.description.length).toBeGreaterThan(20);
    for (const slot of [...Object.values(node.inputs), ...Object.values(node.outputs)]) {
      expect(slot.description).toBeTruthy();
    }
  });
});
