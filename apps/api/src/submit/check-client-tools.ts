import { isObject, own, type Call, type JsonObject, type JsonSchema } from '@errand/contracts';
import type { AnswerChecks } from '../control/answer-checks.js';
import { ProblemError } from '../http/problem-error.js';
import type { CallProblem } from '@errand/protocol';

interface ClientSchema {
  call: number;
  path: string;
  schema: JsonSchema;
}

/**
 * Checks the schemas of the client tools that calls give to agents. They come from the caller and may be hostile, so
 * they are compiled in a thread.
 * @throws ProblemError `invalid_parameters` with all problems; as `AnswerChecks.faultsOf`
 */
export async function checkClientTools(
  calls: readonly Call[],
  isAgent: (toolId: string) => boolean,
  checks: AnswerChecks,
  tenant: string,
): Promise<void> {
  const schemas = calls.flatMap(({ toolId, arguments: args }, call) => (isAgent(toolId) ? schemasIn(args, call) : []));
  if (schemas.length === 0) return;
  const faults = await checks.faultsOf(
    schemas.map(({ schema }) => schema),
    tenant,
  );
  const problems = schemas.flatMap(({ call, path }, index) =>
    (faults[index] ?? []).map((fault): CallProblem => ({
      ...fault,
      kind: 'invalid_parameters',
      call,
      path: `${path}${fault.path}`,
    })),
  );
  if (problems.length === 0) return;
  const detail = problems.map(({ path, message }) => `${path}: ${message}`).join('\n');
  throw new ProblemError('invalid_parameters', detail, {
    errors: problems,
    observation: `Observation: Error - The schema of a client tool is wrong: ${detail.split('\n', 1)[0]}`,
  });
}

function schemasIn(args: JsonObject, call: number): ClientSchema[] {
  const tools = own(args, 'tools');
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool, index) =>
    ['parameters', 'output'].flatMap((field) => {
      const schema = isObject(tool) ? own(tool, field) : undefined;
      return isObject(schema) ? [{ call, path: `/tools/${index}/${field}`, schema }] : [];
    }),
  );
}
