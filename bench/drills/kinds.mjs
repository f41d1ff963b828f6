// Invocations of every kind, with what each must come to. All take a number and some time, so that a kill finds them at it.
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
tools:
  - id: kinds:ask
    displayName: Ask
    description: Asks somebody outside.
    parameters: { type: object, properties: { n: { type: integer } }, required: [n] }
    implementation: { type: external }
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
  description: 'Sleeps, and gives its number back.',
  version: '1.0.0',
  handler: { type: 'external-script', language: 'python', scriptPath: 'kinds.py' },
  parameters: {
    type: 'object',
    properties: { n: { type: 'integer' }, seconds: { type: 'number' } },
    required: ['n', 'seconds'],
  },
};

/** A library folder with what the kinds call; whoever asked for it removes it. */
export function writeLibrary() {
  const folder = mkdtempSync(join(tmpdir(), 'errand-kinds-'));
  const put = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  put('workflows/kinds.json', JSON.stringify(WORKFLOW));
  put('plugins/kinds/plugin.yaml', PLUGIN);
  put('tools/kinds.tool.json', JSON.stringify(SCRIPT_TOOL));
  put('scripts/kinds.py', SCRIPT);
  return folder;
}

const call = (toolId, args) => ({ toolId, arguments: args });

/** By kind: the request that a number makes, and the result that it must have. What is `asked` must be answered with the number. */
export const KINDS = {
  node: { request: (n) => call('core:delay', { ms: 100, value: n }), result: (n) => n },
  workflow: { request: (n) => call('workflow:kinds', { n }), result: (n) => 2 * n + 1 },
  script: { request: (n) => call('kinds:script', { n, seconds: 0.1 }), result: (n) => n, needsDocker: true },
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
