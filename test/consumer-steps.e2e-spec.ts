import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Invocation } from '@errand/contracts';
import { Redis } from 'ioredis';
import { HeldRedis, type Step } from './support/held-redis.js';
import { useStack } from './support/start-stack.js';

/**
 * Workers are killed or paused at each step of the call that ends and takes jobs. A proxy holds the call there. Another worker then takes
 * over, and the paused ones continue with what they missed.
 */
const PLUGIN = `
name: count
displayName: Count
version: 1.0.0
description: A node that counts its runs.
nodes: { entry: nodes/index.js }
tools:
  - id: count:run
    displayName: Run
    description: Appends a line to a file.
    parameters: { type: object, properties: { file: { type: string } }, required: [file] }
    implementation: { type: node, nodeType: count:run }
`;
const NODES = `
const { appendFileSync } = require('node:fs');
const slot = { dataFlowType: 'WILDCARD' };
module.exports = { nodes: [{ type: 'count:run', description: 'd', inputs: { file: slot }, outputs: { value: slot },
  run: async ({ file }) => { appendFileSync(file, process.pid + '\\n'); return { value: process.pid }; } }] };`;

const LOCK_MS = 1_000;
/** The held workers look for no jobs of others. */
const NEVER_MS = '600000';
const stack = useStack({ library: { 'plugins/count/plugin.yaml': PLUGIN, 'plugins/count/nodes/index.js': NODES } });
const { client } = stack;

interface Case extends Step {
  signal: 'SIGKILL' | 'SIGSTOP';
  /** How often the node runs. The job runs again only if its first end never reached Redis. */
  runs: number;
}

/** The jobs of the last two are still waiting, so that every later worker would take them. */
const CASES: readonly Case[] = [
  ...(['SIGKILL', 'SIGSTOP'] as const).flatMap((signal): Case[] => [
    { signal, call: 'take', side: 'after', runs: 1 },
    { signal, call: 'end', side: 'before', runs: 2 },
    { signal, call: 'end', side: 'after', runs: 1 },
  ]),
  { signal: 'SIGSTOP', call: 'take', side: 'before', runs: 1 },
  { signal: 'SIGKILL', call: 'take', side: 'before', runs: 1 },
];

interface Held {
  given: Case;
  id: string;
  file: string;
  worker: ChildProcess;
  proxy: HeldRedis;
}

const titleOf = ({ signal, side, call }: Case) => `${signal} ${side} ${call}`;

/** A worker that is stopped at a step of its only job. */
async function stopAt(given: Case): Promise<Held> {
  const proxy = stack.keep(await HeldRedis.start(stack.redis.url, given));
  const env = { ERRAND_REDIS_URL: proxy.url, ERRAND_LOCK_MS: `${LOCK_MS}`, ERRAND_STALLED_MS: NEVER_MS };
  const worker = await stack.processes.start('worker', env);
  const file = join(stack.folder, titleOf(given));
  const id = await client.submit({ toolId: 'count:run', arguments: { file } });
  await proxy.untilHeld();
  if (given.signal === 'SIGKILL') await stack.processes.end(worker);
  else worker.kill('SIGSTOP');
  return { given, id, file, worker, proxy };
}

/** The check of the held workers must not hold up that of the next one. */
async function allowCheck(): Promise<void> {
  const redis = new Redis(stack.redis.url);
  await redis.del('{errand}:invocations:stalled-check');
  redis.disconnect();
}

it('A job whose worker dies or pauses at any step of taking or ending it has one outcome, and runs again only if its end was not stored', async () => {
  const held: Held[] = [];
  for (const given of CASES) held.push(await stopAt(given));
  await allowCheck();
  await stack.processes.start('worker', { ERRAND_LOCK_MS: `${LOCK_MS}`, ERRAND_STALLED_MS: '500' });
  const ended = new Map<string, Invocation>();
  for (const { id } of held) ended.set(id, await client.untilEnded(id));
  for (const { proxy, worker, given } of held) {
    proxy.release();
    // It exits when it has done what it missed.
    if (given.signal !== 'SIGSTOP') continue;
    worker.kill('SIGCONT');
    const code = await stack.processes.end(worker, 'SIGTERM');
    expect([titleOf(given), code, code === 0 ? '' : stack.processes.wordsOf(worker)]).toEqual([titleOf(given), 0, '']);
  }
  const found = await Promise.all(
    held.map(async ({ given, id, file }) => {
      const { status } = await client.read(id);
      expect(await client.read(id)).toEqual(ended.get(id));
      return [titleOf(given), status, readFileSync(file, 'utf8').trim().split('\n').length];
    }),
  );
  expect(found).toEqual(CASES.map((given) => [titleOf(given), 'succeeded', given.runs]));
});
