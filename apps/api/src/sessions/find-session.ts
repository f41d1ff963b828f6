import { didYouMean } from '@errand/contracts';
import { LONGEST_INDEXED, readSessionAgents, type Queues, type SessionName } from '@errand/queue';
import { ProblemError } from '../http/problem-error.js';
import type { RequestScope } from '../http/request-scope.js';

/** A session of the tenant of a request, and the agents that have acted in it. */
export interface FoundSession {
  name: SessionName;
  agents: string[];
}

/** @throws ProblemError `not_found`, also for a session of another tenant */
export async function findSession(queues: Queues, { tenant }: RequestScope, session: string): Promise<FoundSession> {
  const name = { tenant, session };
  const agents = isSessionName(session) ? await readSessionAgents(queues, name) : undefined;
  return agents ? { name, agents } : unknownSession(session);
}

/** @throws ProblemError `not_found` with the nearest agent of the session */
export function requireActing({ agents }: FoundSession, agent: string): string {
  if (agents.includes(agent)) return agent;
  const suggestion = didYouMean(agent, agents);
  const hint = suggestion === undefined ? '' : `, did you mean '${suggestion}'?`;
  throw new ProblemError('not_found', `The agent ${agent} has not acted in this session${hint}`);
}

export function unknownSession(session: string): never {
  const shown = session.slice(0, 80);
  throw new ProblemError('not_found', `There is no session ${shown}; a session begins with the first turn of an agent`);
}

/** Whether a submission may have this session. A lone surrogate would be stored as another character. */
export function isSessionName(text: string): boolean {
  return text.length > 0 && text.length <= LONGEST_INDEXED && !/\p{Cs}/u.test(text);
}
