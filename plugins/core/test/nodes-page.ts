import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { JsonObject, NodeType, StoredSlot } from '@errand/contracts';
import { asText } from '../nodes/as-text.js';
import { NODES_BY_TOPIC } from '../nodes/index.js';
import { runCoreNode } from './run-core-node.js';

interface Example {
  description: string;
  arguments: JsonObject;
}

const { tools }: { tools: { id: string; examples?: Example[] }[] } = parse(
  readFileSync(join(__dirname, '../plugin.yaml'), 'utf8'),
);
const examplesOf = new Map(tools.map(({ id, examples }) => [id, examples ?? []]));

/** Nodes whose examples have a different result each time, or need the network, a person or time. */
const WITHOUT_RESULT = new Set([
  'core:external',
  'core:http',
  'core:llm',
  'core:now',
  'core:random',
  'core:uuid',
  'core:wait',
]);

/** The generated part of docs/nodes.md, from the definitions of the nodes. The examples are run. */
export async function nodesPage(): Promise<string> {
  const topics: string[] = [];
  for (const [topic, nodes] of Object.entries(NODES_BY_TOPIC)) {
    const sections: string[] = [];
    for (const node of nodes) sections.push(await sectionOf(node));
    topics.push(`## ${topic}`, ...sections);
  }
  return topics.join('\n\n');
}

async function sectionOf(node: NodeType): Promise<string> {
  const examples = examplesOf.get(node.type);
  const settings = Object.entries(node.config ?? {}) as [string, { description: string }][];
  const lines = [
    `### ${node.type}`,
    '',
    `${escaped(node.description)}${examples ? '' : ' Only as a node of a workflow.'}`,
    '',
    ...Object.entries(node.inputs).map(
      ([name, slot]) => `- **${name}** (${natureOf(slot)}): ${escaped(slot.description!)}`,
    ),
    ...(node.otherInputs
      ? [`- **any other name** (${natureOf(node.otherInputs)}): ${escaped(node.otherInputs.description!)}`]
      : []),
    ...settings.map(([name, { description }]) => `- **${name}** (setting): ${escaped(description)}`),
    ...Object.entries(node.outputs).map(
      ([name, slot]) => `- → **${name}** (${typeOf(slot)}): ${escaped(slot.description!)}`,
    ),
  ];
  for (const example of examples ?? []) lines.push('', ...(await exampleOf(node.type, example)));
  return lines.join('\n');
}

async function exampleOf(type: string, { description, arguments: args }: Example): Promise<string[]> {
  const result = WITHOUT_RESULT.has(type) ? [] : ['', `→ ${JSON.stringify(await runCoreNode(type, args))}`];
  return [`${description}:`, '', '```text', JSON.stringify(args), ...result, '```'];
}

function natureOf(slot: StoredSlot): string {
  const { default: value, suggestions } = slot.config ?? {};
  const standing = slot.required
    ? 'required'
    : value === undefined
      ? 'optional'
      : `default \`${JSON.stringify(value)}\``;
  return [typeOf(slot), suggestions?.map(asText).join(' | '), standing].filter(Boolean).join(', ');
}

function typeOf({ dataFlowType, multi, isStream }: StoredSlot): string {
  const name = dataFlowType === 'WILDCARD' ? 'any' : dataFlowType.toLowerCase();
  return `${multi ? 'several of ' : ''}${name}${isStream ? ', can be streamed' : ''}`;
}

/** Escapes the characters that have a meaning in Markdown. */
function escaped(text: string): string {
  return text.replaceAll(/[*_<[\]]/g, '\\$&');
}
