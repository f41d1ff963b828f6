import { join } from 'node:path';
import type { JsonSchema, Problem } from '@errand/contracts';
import type { Work } from '@errand/queue';
import type { RunComputation } from './run-computation.js';

const MODULE = join(__dirname, 'answer-schema-thread');
/** The largest schema compiles within a second. */
const TIMEOUT_MS = 5_000;

/** The problems of the schema of an answer. It may come from a caller and be hostile, so a thread compiles it. */
export async function checkAnswerSchema(
  computation: RunComputation,
  work: Work,
  schema: JsonSchema | boolean,
  signal: AbortSignal,
): Promise<Problem[]> {
  const limits = { timeoutMs: TIMEOUT_MS, what: 'The schema of the answer', advice: 'simplify it' };
  const { problems } = await computation.run(work, { module: MODULE, input: { schema }, ...limits }, signal);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of the module
  return problems as unknown as Problem[];
}
