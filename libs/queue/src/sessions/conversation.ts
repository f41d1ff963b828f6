import { createHash } from 'node:crypto';
import type { Keys } from '../redis/names.js';
import type { InvocationRecord } from '../state/record.js';

/** A session of a tenant. */
export interface SessionName {
  tenant: string;
  session: string;
}

/** The messages that a session and an agent share. */
export interface Conversation extends SessionName {
  agent: string;
}

/** Session names have any characters, so the keys have a digest in their place. */
export function digestOf(session: string): string {
  return createHash('sha256').update(session).digest('base64url');
}

export function sessionKey(keys: Keys, { tenant, session }: SessionName): string {
  return keys.session(tenant, digestOf(session));
}

/** The keys of a conversation beside that of its session. */
export function conversationKeys(
  keys: Keys,
  { tenant, session, agent }: Conversation,
): {
  messages: string;
  ids: string;
  turns: string;
} {
  const digest = digestOf(session);
  return {
    messages: keys.messages(tenant, digest, agent),
    ids: keys.messageIds(tenant, digest, agent),
    turns: keys.turns(tenant, digest, agent),
  };
}

/** ARGV of the scripts that extend the life of a session: the prefixes of the keys of its conversations. */
export function conversationPrefixes(keys: Keys, { tenant, session }: SessionName): string[] {
  const digest = digestOf(session);
  return [keys.messages(tenant, digest), keys.messageIds(tenant, digest), keys.turns(tenant, digest)];
}

/** The prefix of the tools of agents. */
const AGENT_TOOL = 'agent:';

/** The agents whose turns the calls of an invocation are. */
export function agentsOf({ calls }: Pick<InvocationRecord, 'calls'>): string[] {
  const called = calls.filter(({ kind }) => kind === 'agent');
  return [...new Set(called.map(({ toolId }) => toolId.slice(AGENT_TOOL.length)))];
}

/** The session of a turn that was submitted without one. */
export function ownSessionOf(id: string): string {
  return `ses_${id.replace(/^inv_/, '')}`;
}

/** The record with a session of its own if it is a turn without a session. */
export function withSession(id: string, record: InvocationRecord): InvocationRecord {
  if (record.session !== undefined || agentsOf(record).length === 0) return record;
  return { ...record, session: ownSessionOf(id) };
}
