// The workloads whose cost is measured, and the library that they need.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ECHO = { toolId: 'core:echo', arguments: { value: 'x' } };
const PER_BATCH = 100;
const NODES = 10;

/**
 * A workload:
 * - `body(receiver)`: the body of a request, `path` and `barePath`: where it goes
 * - `per`: the invocations of one request
 * - `parts`: the processes beside the API
 * - `isOfOneTenant`: where there are several tenants, the others have work too, but all requests are of one
 * - `waits`: the request waits for the end; `isTold`: a receiver gets a callback for each invocation
 * - `amount`: the requests of one CPU measurement with 64 in flight
 * - `warmUp`: the requests before it; a third of `amount` by default
 */
export const WORKLOADS = [
  {
    name: 'accepting',
    body: () => ECHO,
    path: '',
    barePath: '/jobs',
    per: 1,
    parts: [],
    amount: 3_000,
    warmUp: 15_000,
  },
  {
    name: 'batch',
    body: () => ({ items: Array.from({ length: PER_BATCH }, () => ECHO) }),
    path: '/batch',
    barePath: '/bulk',
    per: PER_BATCH,
    parts: [],
    amount: 60,
    inFlight: 4,
  },
  {
    name: 'end to end',
    body: () => ECHO,
    path: '',
    barePath: '/jobs',
    per: 1,
    parts: ['worker'],
    waits: true,
    amount: 3_000,
    warmUp: 15_000,
  },
  {
    name: 'callback',
    body: (receiver) => ({ ...ECHO, callback: { url: receiver } }),
    path: '',
    barePath: '/flows',
    per: 1,
    parts: ['worker'],
    isTold: true,
    amount: 800,
  },
  {
    name: `workflow of ${NODES} nodes`,
    body: () => ({ toolId: 'workflow:ten', arguments: { value: 'x' } }),
    path: '',
    barePath: '/chain',
    per: 1,
    parts: ['worker'],
    waits: true,
    amount: 300,
  },
  {
    name: 'single script',
    body: () => ({ toolId: 'cost:answer', arguments: {} }),
    path: '',
    per: 1,
    parts: ['worker', 'runner'],
    // A container serves one tenant. To start one takes so long that the periodic work of the processes would fall into each request.
    isOfOneTenant: true,
    waits: true,
    amount: 100,
    inFlight: 4,
  },
];

/** A workflow that passes its input through ten nodes, and a script whose container is used again. */
export function writeLibrary(folder) {
  const ids = Array.from({ length: NODES }, (_, n) => `n${n}`);
  const value = { dataFlowType: 'STRING', required: true };
  const edge = (source, target) => ({ source, sourceHandle: 'value', target, targetHandle: 'value' });
  const all = ['in', ...ids, 'out'];
  const workflow = {
    id: 'ten',
    version: '1.0.0',
    interfaceInputs: { value },
    interfaceOutputs: { value: { dataFlowType: 'STRING' } },
    nodes: all.map((id) => ({
      id,
      type: { in: 'core:GroupInput', out: 'core:GroupOutput' }[id] ?? 'core:echo',
    })),
    edges: all.slice(1).map((id, n) => edge(all[n], id)),
  };
  const tool = {
    toolId: 'cost:answer',
    description: 'Returns a number',
    version: '1.0.0',
    handler: { type: 'external-script', language: 'bun', scriptPath: 'answer/main.js' },
    parameters: { type: 'object', properties: {} },
    reuse: 'per-tool',
  };
  const files = {
    'workflows/ten.json': JSON.stringify(workflow),
    'tools/answer.tool.json': JSON.stringify(tool),
    'scripts/answer/main.js': 'console.log(42);',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
