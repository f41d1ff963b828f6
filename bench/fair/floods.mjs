// The floods of the benchmark of fair shares: what the heavy tenants submit, what the light tenant submits beside them, and the slots.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ECHO = { toolId: 'core:echo', arguments: { value: 'x' } };
const delayOf = (ms) => ({ toolId: 'core:delay', arguments: { ms } });

/** One of these in turn: a priority of its own, a child job with a callback, a retry, and a wait that suspends. */
const MIXED = [
  () => ({ ...delayOf(100), options: { priority: 9 } }),
  () => ({ ...delayOf(100), options: { priority: 1, fairnessKey: 'one' } }),
  (receiver) => ({ ...delayOf(100), callback: { url: receiver } }),
  () => ({ toolId: 'flood:fail', arguments: { ms: 100 } }),
  () => ({ toolId: 'core:wait', arguments: { ms: 100, value: 1 } }),
];

/**
 * A flood, with its id in the goals table:
 * - `tenants`: who floods; each has its part of `waiting` jobs
 * - `job(receiver, n)`: the nth job; `light`: a job of the light tenant
 * - `slots`: the slots of the one worker
 * - `waiting`: how many jobs wait in all, if not as many as the command says
 * - `samples`: jobs of the light tenant in each measurement
 * - `pauseMs`: before each of its requests, it waits for a random time of up to so many ms. The default is 0.
 */
export const FLOODS = [
  {
    id: 'noop',
    name: 'no-op jobs, 100 slots',
    tenants: ['heavy'],
    job: () => ECHO,
    light: ECHO,
    slots: 100,
    samples: 60,
  },
  {
    id: 'long',
    name: 'jobs of 200 ms, 100 slots',
    tenants: ['heavy'],
    job: () => delayOf(200),
    light: delayOf(200),
    slots: 100,
    samples: 10,
  },
  {
    id: 'short',
    name: 'jobs of 20 ms, 10 slots',
    tenants: ['heavy'],
    job: () => delayOf(20),
    light: delayOf(20),
    slots: 10,
    samples: 40,
  },
  {
    id: 'few',
    name: '500 jobs of 200 ms, 4 slots',
    tenants: ['heavy'],
    job: () => delayOf(200),
    light: delayOf(200),
    slots: 4,
    waiting: 500,
    samples: 20,
  },
  {
    id: 'mixed',
    name: 'two floods with priorities, callbacks, retries and waits, 20 slots',
    tenants: ['heavy', 'other'],
    job: (receiver, n) => MIXED[n % MIXED.length](receiver),
    light: delayOf(20),
    slots: 20,
    samples: 40,
  },
  {
    id: 'pauses',
    name: 'jobs of 100 ms, 20 slots, and jobs of 20 ms at random moments',
    tenants: ['heavy'],
    job: () => delayOf(100),
    light: delayOf(20),
    slots: 20,
    samples: 60,
    pauseMs: 100,
  },
];

const PLUGIN = `
name: flood
displayName: Flood
version: 1.0.0
description: A tool that fails.
nodes: { entry: nodes/index.js }
tools:
  - id: flood:fail
    displayName: Fail
    description: Fails at each attempt.
    parameters: { type: object, properties: { ms: { type: integer } }, required: [ms] }
    implementation: { type: node, nodeType: flood:fail-node }
    retry: { attempts: 3, backoff: { type: fixed, delayMs: 50 }, on: [NodeError] }
`;

const NODES = `
const { setTimeout } = require('node:timers/promises');
const run = async ({ ms }) => {
  await setTimeout(ms);
  throw new Error('It fails, as it should');
};
const inputs = { ms: { dataFlowType: 'INTEGER', required: true } };
const outputs = { value: { dataFlowType: 'INTEGER' } };
module.exports = { nodes: [{ type: 'flood:fail-node', description: 'Fails.', inputs, outputs, run }] };
`;

/** Writes the library of the floods. */
export function writeFloodLibrary(folder) {
  const files = { 'plugins/flood/plugin.yaml': PLUGIN, 'plugins/flood/nodes/index.js': NODES };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
