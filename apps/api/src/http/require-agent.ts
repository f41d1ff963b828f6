import type { Registry } from '@errand/registry';
import { didYouMean } from '@errand/contracts';
import { ProblemError } from './problem-error.js';

/** The agent's id, once it is known that there is such an agent; undefined, who sees every tool, stays undefined. */
export function requireAgent(registry: Registry, agent: string | undefined): string | undefined {
  if (agent === undefined || registry.hasAgent(agent)) return agent;
  const suggestion = didYouMean(agent, registry.agentIds());
  const message = `There is no agent '${agent}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`;
  throw new ProblemError('invalid_request', message, {
    status: 422,
    errors: [{ path: '/agent', message, ...(suggestion && { suggestion }) }],
  });
}
