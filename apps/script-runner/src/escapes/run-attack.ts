import { isDeepStrictEqual } from 'node:util';
import { ToolError } from '@errand/contracts';
import type { DockerSandbox } from '../sandbox/index.js';
import type { Attack } from './read-attacks.js';

export interface Held {
  /** Whether what was expected came. */
  held: boolean;
  /** What came, in a few words. */
  came: string;
}

const TIMEOUT_MS = 20_000;

/** Lets an attack loose in the sandbox, and judges what came of it. Never rejects with what a script may end with. */
export async function runAttack(sandbox: DockerSandbox, { file, bundle, limits, expected }: Attack): Promise<Held> {
  const spec = { invocationId: 'escapes', step: 0, toolId: `escapes:${file}`, bundle, input: {} };
  const hooks = { signal: new AbortController().signal, onLog: () => {} };
  try {
    const result = await sandbox.run({ ...spec, limits: { timeoutMs: TIMEOUT_MS, ...limits } }, hooks);
    return { held: 'result' in expected && isDeepStrictEqual(result, expected.result), came: JSON.stringify(result) };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const limit = error.details?.limit;
    const isExpected = 'type' in expected && expected.type === error.type && (expected.limit ?? limit) === limit;
    return { held: isExpected, came: `${error.type}: ${error.message}` };
  }
}
