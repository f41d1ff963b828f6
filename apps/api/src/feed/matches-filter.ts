import type { FeedData } from '@errand/contracts';
import type { InvocationQuery, InvocationRecord, ListedInvocation } from '@errand/queue';

/** Whether an invocation in its present state fulfils the filters of a list. */
export function matchesFilter(filter: InvocationQuery, invocation: ListedInvocation): boolean {
  const { id, status, record, createdAt, finishedAt, error } = invocation;
  const { statuses, ids, errorType, from, to, finishedFrom, finishedTo } = filter;
  if (statuses && !statuses.includes(status)) return false;
  if (ids && !ids.includes(id)) return false;
  if (errorType !== undefined && error?.type !== errorType) return false;
  return (
    isWithin(Date.parse(createdAt), from, to) &&
    isWithin(finishedAt === null ? undefined : Date.parse(finishedAt), finishedFrom, finishedTo) &&
    matchesRecord(filter, record)
  );
}

function matchesRecord({ toolId, agent, session, batch, parent, metadata }: InvocationQuery, record: InvocationRecord) {
  if (toolId !== undefined && !record.calls.some((call) => call.toolId === toolId)) return false;
  if (agent !== undefined && record.agent !== agent) return false;
  if (session !== undefined && record.session !== session) return false;
  if (batch !== undefined && record.batch !== batch) return false;
  if (parent !== undefined && record.parentTurn?.invocationId !== parent) return false;
  return Object.entries(metadata ?? {}).every(([key, value]) => {
    const { metadata: given } = record;
    if (!given || !Object.hasOwn(given, key)) return false;
    const found = given[key];
    return typeof found === 'object' ? false : String(found) === value;
  });
}

/** Whether a time in ms is at `from` or later and before `to`. An absent time is in no bounds. */
function isWithin(time: number | undefined, from: number | undefined, to: number | undefined): boolean {
  if (from === undefined && to === undefined) return true;
  return time !== undefined && time >= (from ?? 0) && time < (to ?? Infinity);
}

/** Whether a refusal fulfils those of the filters that a refusal can have: tool, agent and session. */
export function matchesRefusal(
  { toolId, agent, session }: InvocationQuery,
  refusal: Partial<FeedData['refusal']>,
): boolean {
  if (toolId !== undefined && !refusal.toolIds?.includes(toolId)) return false;
  if (agent !== undefined && refusal.agent !== agent) return false;
  return session === undefined || refusal.session === session;
}
