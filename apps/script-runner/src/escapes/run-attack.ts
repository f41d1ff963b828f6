import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ToolError, type Json } from '@errand/contracts';
import type { DockerSandbox } from '../sandbox/index.js';
import type { Attack } from './read-attacks.js';

export interface AttackResult {
  /** Whether the outcome was the expected one. */
  held: boolean;
  /** The actual outcome, as a short text. */
  came: string;
}

const TIMEOUT_MS = 20_000;
/** As in production, where every script may return files. */
const ARTIFACT_BYTES = 1024 * 1024;
/** In this time, a shared container starts the process that waits for the next script. Without a pause, it may not. */
const PAUSE_MS = 100;
const NOTHING_ACHIEVED: Attack['expected'] = { result: [] };

/** Runs an attack in the sandbox and compares the outcome. Errors of the script do not reject. */
export async function runAttack(sandbox: DockerSandbox, attack: Attack): Promise<AttackResult> {
  if (attack.runs === 1) return runOnce(sandbox, attack, {}, attack.expected);
  const reuse = randomBytes(8).toString('hex');
  const secrets: string[] = [];
  for (let run = 1; run <= attack.runs; run++) {
    if (run % 2 === 1 && run > 1) await delay(PAUSE_MS);
    const secret = randomBytes(16).toString('hex');
    secrets.push(secret);
    const expected = run === 1 ? attack.expected : NOTHING_ACHIEVED;
    const { held, came } = await runOnce(sandbox, attack, { run, secret }, expected, { reuse, secrets });
    if (!held) return { held, came: `run ${run}: ${came}` };
  }
  return { held: true, came: '[]' };
}

interface Sharing {
  reuse: string;
  /** The inputs of all runs so far. No log may show one: an attack would pass on a stolen input in this way. */
  secrets: string[];
}

async function runOnce(
  sandbox: DockerSandbox,
  { file, bundle, limits }: Attack,
  input: Json,
  expected: Attack['expected'],
  { reuse, secrets = [] }: Partial<Sharing> = {},
): Promise<AttackResult> {
  const spec = {
    invocationId: 'escapes',
    step: 0,
    toolId: `escapes:${file}`,
    bundle,
    input,
    reuse,
    artifactBytes: ARTIFACT_BYTES,
  };
  const log: string[] = [];
  const hooks = { signal: new AbortController().signal, onLog: (lines: string[]) => void log.push(...lines) };
  try {
    const result = await sandbox.run({ ...spec, limits: { timeoutMs: TIMEOUT_MS, ...limits } }, hooks);
    const isStolen = log.some((line) => secrets.some((secret) => line.includes(secret)));
    if (isStolen) return { held: false, came: 'the log shows the input of a run' };
    return { held: 'result' in expected && isDeepStrictEqual(result, expected.result), came: JSON.stringify(result) };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const limit = error.details?.limit;
    const isExpected = 'type' in expected && expected.type === error.type && (expected.limit ?? limit) === limit;
    return { held: isExpected, came: `${error.type}: ${error.message}` };
  }
}
