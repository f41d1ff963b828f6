// Invocations of every kind, with their expected results. All take a number and some time, so that kills interrupt them.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const edge = (source, sourceHandle, target, targetHandle) => ({ source, sourceHandle, target, targetHandle });
const NUMBER = { dataFlowType: 'INTEGER' };

/** Waits, doubles, adds one. */
const WORKFLOW = {
  id: 'kinds',
  nodes: [
    { id: 'in', type: 'core:GroupInput' },
    { id: 'pause', type: 'core:delay', inputValues: { ms: 150 } },
    { id: 'twice', type: 'core:math', inputValues: { op: 'multiply', b: 2 } },
    { id: 'more', type: 'core:math', inputValues: { op: 'add', b: 1 } },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [
    edge('in', 'n', 'pause', 'value'),
    edge('pause', 'value', 'twice', 'a'),
    edge('twice', 'result', 'more', 'a'),
    edge('more', 'result', 'out', 'n'),
  ],
  interfaceInputs: { n: NUMBER },
  interfaceOutputs: { n: NUMBER },
};

const PLUGIN = `
name: kinds
displayName: Kinds
version: 1.0.0
description: Tools that drills call.
nodes: { entry: nodes/index.js }
tools:
  - id: kinds:ask
    displayName: Ask
    description: Asks somebody outside.
    parameters: { type: object, properties: { n: { type: integer } }, required: [n] }
    implementation: { type: external }
  - id: kinds:flaky
    displayName: Flaky
    description: Fails the first time.
    parameters: { type: object, properties: { n: { type: integer } }, required: [n] }
    implementation: { type: node, nodeType: kinds:flaky-node }
    retry: { attempts: 25, backoff: { type: fixed, delayMs: 100 }, on: [NodeError] }
  - id: kinds:mark
    displayName: Mark
    description: Leaves a line in the file KINDS_MARKS, which is an effect that can be counted.
    parameters: { type: object, properties: { of: { type: string } }, required: [of] }
    effects: once
    implementation: { type: node, nodeType: kinds:mark-node }
`;

/** The attempt after the death of a process fails once more. */
const NODES = `
const { appendFile } = require('node:fs/promises');
const begun = new Set();
const slot = { dataFlowType: 'INTEGER' }, text = { dataFlowType: 'STRING' };
module.exports = { nodes: [{
  type: 'kinds:mark-node', description: 'Leaves a line in a file.', inputs: { of: text }, outputs: { of: text },
  async run({ of }) {
    await appendFile(process.env.KINDS_MARKS, of + '\\n');
    return { of };
  },
}, {
  type: 'kinds:flaky-node', description: 'Fails the first time.', inputs: { n: slot }, outputs: { n: slot },
  async run({ n }, { invocationId }) {
    if (begun.delete(invocationId)) return { n };
    begun.add(invocationId);
    throw new Error('The first time it fails');
  },
}] };
`;

const SCRIPT = `
import json, sys, time
arguments = json.load(sys.stdin)
time.sleep(arguments["seconds"])
print(json.dumps(arguments["n"]))
`;

const SCRIPT_TOOL = {
  toolId: 'kinds:script',
  displayName: 'Script',
  description: 'Sleeps, and returns its number.',
  version: '1.0.0',
  handler: { type: 'external-script', language: 'python', scriptPath: 'kinds.py' },
  parameters: {
    type: 'object',
    properties: { n: { type: 'integer' }, seconds: { type: 'number' } },
    required: ['n', 'seconds'],
  },
};

/** Runs on a runner that offers the label: as a child job of its invocation, in a queue of its own. */
export const LABEL = 'drill';
const LABELLED_TOOL = { ...SCRIPT_TOOL, toolId: 'kinds:labelled', displayName: 'Labelled', runner: LABEL };

/** A library folder with the tools of the kinds; the caller removes it. */
export function writeLibrary() {
  const folder = mkdtempSync(join(tmpdir(), 'errand-kinds-'));
  const put = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  put('workflows/kinds.json', JSON.stringify(WORKFLOW));
  put('plugins/kinds/plugin.yaml', PLUGIN);
  put('plugins/kinds/nodes/index.js', NODES);
  put('tools/kinds.tool.json', JSON.stringify(SCRIPT_TOOL));
  put('tools/labelled.tool.json', JSON.stringify(LABELLED_TOOL));
  put('scripts/kinds.py', SCRIPT);
  return folder;
}

const call = (toolId, args) => ({ toolId, arguments: args });

/** By kind: the request for a number, and its expected result. A kind with `asked` waits for the number as an answer. */
export const KINDS = {
  node: { request: (n) => call('core:delay', { ms: 100, value: n }), result: (n) => n },
  workflow: { request: (n) => call('workflow:kinds', { n }), result: (n) => 2 * n + 1 },
  script: { request: (n) => call('kinds:script', { n, seconds: 0.1 }), result: (n) => n, needsDocker: true },
  labelled: { request: (n) => call('kinds:labelled', { n, seconds: 0.1 }), result: (n) => n, needsDocker: true },
  external: { request: (n) => call('kinds:ask', { n }), result: (n) => n, asked: true },
  chain: {
    request: (n) => ({
      calls: [
        call('core:delay', { ms: 50, value: n }),
        call('core:math', { op: 'add', a: '{{steps.1.result}}', b: 1 }),
        call('core:math', { op: 'multiply', a: '{{steps.2.result}}', b: 2 }),
      ],
    }),
    result: (n) => [n, n + 1, 2 * n + 2],
  },
  failing: { request: () => call('core:math', { op: 'divide', a: 1, b: 0 }), fails: true },
};

/**
 * More kinds, for a load that does more than submit and wait. `takes`: the request uses the result of an earlier invocation.
 * `cancels`: the load cancels it some time after its submission. `repairs`: the load repairs it with other inputs after its failure, and
 * the repair must have the result.
 */
export const MORE_KINDS = {
  ...KINDS,
  parallel: {
    request: (n) => ({
      calls: [50, 100, 150].map((ms) => call('core:delay', { ms, value: n })),
      options: { mode: 'parallel' },
    }),
    result: (n) => [n, n, n],
  },
  delayed: {
    request: (n) => ({ ...call('core:echo', { value: n }), options: { delayMs: 500 + n } }),
    result: (n) => n,
  },
  parked: { request: (n) => call('core:wait', { ms: 2_100 + n, value: n }), result: (n) => n },
  flaky: { request: (n) => call('kinds:flaky', { n }), result: (n) => n },
  future: {
    takes: true,
    request: (n, id) => ({ calls: [call('core:echo', { value: n }), call('core:echo', { value: `{{job:${id}}}` })] }),
    result: (n, taken) => [n, taken],
  },
  cancelled: { cancels: true, request: (n) => call('core:delay', { ms: 2 * n, value: n }), result: (n) => n },
  repaired: {
    repairs: { 0: { inputs: { b: 1 } } },
    request: (n) => call('core:math', { op: 'divide', a: n, b: 0 }),
    fails: true,
    result: (n) => n,
  },
};
