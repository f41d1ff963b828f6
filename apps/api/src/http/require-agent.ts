import type { AgentProfile, Registry } from '@errand/registry';
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

/** The profile of an agent that a path names. @throws ProblemError `not_found` with the nearest id */
export function findAgent(registry: Registry, id: string): AgentProfile {
  const profile = registry.agent(id);
  if (profile) return profile;
  const suggestion = didYouMean(id, registry.agentIds());
  const message = `Unknown agent '${id.slice(0, 200)}'${suggestion ? `, did you mean '${suggestion}'?` : ''}`;
  throw new ProblemError('not_found', message, {
    errors: [{ path: '/id', message, ...(suggestion && { suggestion }) }],
  });
}
