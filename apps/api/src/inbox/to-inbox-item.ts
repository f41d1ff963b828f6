import type { InboxItem } from '@errand/contracts';
import { childId, type ListedWait } from '@errand/queue';
import type { RequestScope } from '../http/request-scope.js';

/** The item of the inbox for a wait. */
export function toInboxItem(wait: ListedWait, { showsTenant }: Pick<RequestScope, 'showsTenant'>): InboxItem {
  const { invocationId, step, nodeId, waiting, toolId, agent, session } = wait;
  const invocation = `/v1/invocations/${invocationId}`;
  return {
    kind: 'answer',
    id: childId(invocationId, step, waiting.key),
    invocationId,
    step,
    nodeId: nodeId ?? null,
    key: waiting.key ?? null,
    prompt: waiting.prompt ?? null,
    output: waiting.schema ?? null,
    askedAt: wait.askedAt ?? new Date(wait.begunAt).toISOString(),
    until: waiting.until,
    toolId,
    arguments: wait.arguments,
    agent: agent ?? null,
    session: session ?? null,
    links: { invocation, answer: `${invocation}/steps/${step}/result` },
    ...(showsTenant && { tenant: wait.tenant }),
  };
}
