import type { Registry } from '@errand/registry';
import { ProblemError } from '../http/problem-error.js';
import { findAgent } from '../http/require-agent.js';

/** Requires an agent that can run. @throws ProblemError not_found with the nearest id */
export function requireRunnable(registry: Registry, id: string): string {
  findAgent(registry, id);
  if (registry.toolOfAgent(id)) return id;
  throw new ProblemError(
    'not_found',
    `The agent '${id}' cannot run here: its profile has no core_deliberation_workflow_id`,
  );
}

/**
 * The agent of a request that names none in its path: that of `forwardedProps.agent`, else the default agent, else the only one.
 * @throws ProblemError not_found; 422 if several could be meant
 */
export function chooseAgent(registry: Registry, named: unknown, byDefault: string | undefined): string {
  if (named !== undefined && typeof named !== 'string') {
    const message = 'forwardedProps.agent must be the id of an agent';
    throw new ProblemError('invalid_request', message, {
      status: 422,
      errors: [{ path: '/forwardedProps/agent', message }],
    });
  }
  const wanted = named ?? byDefault;
  if (wanted !== undefined) return requireRunnable(registry, wanted);
  const [only, ...others] = runnableAgents(registry);
  if (only !== undefined && others.length === 0) return only;
  const reason = only === undefined ? 'no agent can run here' : `${others.length + 1} agents can run here`;
  const message = `Name the agent in the path, in forwardedProps.agent or in ERRAND_DEFAULT_AGENT: ${reason}`;
  throw new ProblemError(
    only === undefined ? 'not_found' : 'invalid_request',
    message,
    only === undefined ? {} : { status: 422 },
  );
}

function runnableAgents(registry: Registry): string[] {
  return registry.agentIds().filter((id) => registry.toolOfAgent(id) !== undefined);
}
