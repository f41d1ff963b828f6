import { DEFAULT_AGENT_LIMITS, didYouMean, isObject, type AgentLimits, type Problem } from '@errand/contracts';
import { ProblemError } from '../../http/problem-error.js';

const NAMES = [...Object.keys(DEFAULT_AGENT_LIMITS), 'maxTokens'];

/** Limits that may be 0. */
const FROM_ZERO: ReadonlySet<string> = new Set(['maxRepairs', 'maxDepth']);

/** The limits of a retried turn. @throws ProblemError that names each wrong limit */
export function readLimits(given: unknown): Partial<AgentLimits> | undefined {
  if (given === undefined) return undefined;
  if (!isObject(given))
    throw refusal([{ path: '/limits', message: 'limits must be an object such as {"maxRounds": 20}' }]);
  const problems = Object.entries(given).flatMap(([name, value]) => problemOf(name, value));
  if (problems.length > 0) throw refusal(problems);
  return given;
}

function problemOf(name: string, value: unknown): Problem[] {
  const path = `/limits/${name.slice(0, 80)}`;
  if (!NAMES.includes(name)) {
    const suggestion = didYouMean(name, NAMES);
    const hint = suggestion === undefined ? `; the limits are ${NAMES.join(', ')}` : `, did you mean '${suggestion}'?`;
    return [{ path, message: `limits has no '${name.slice(0, 80)}'${hint}` }];
  }
  const least = FROM_ZERO.has(name) ? 0 : 1;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return [];
  return [{ path, message: `${name} must be a whole number, at least ${least}` }];
}

function refusal(errors: Problem[]): ProblemError {
  return new ProblemError('invalid_request', errors.map(({ message }) => message).join('; '), { errors });
}
