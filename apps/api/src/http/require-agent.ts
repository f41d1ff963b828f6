import type { Registry } from '@errand/registry';
import { didYouMean } from '@errand/contracts';
import { ProblemError } from './problem-error.js';

/** Returns the id of a known agent. Undefined stays undefined: without an agent, all tools are visible. */
export function requireAgent(registry: Registry, agent: string | undefined): string | undefined {
  if (agent === undefined || registry.hasAgent(agent)) return agent;
  const suggestion = didYouMean(agent, registry.agentIds());
  const message = `Unknown agent '${agent}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`;
  throw new ProblemError('invalid_request', message, {
    status: 422,
    errors: [{ path: '/agent', message, ...(suggestion && { suggestion }) }],
  });
}
