import { isFinal, partialOf, type Invocation, type InvocationCounts, type InvocationRow } from '@errand/contracts';
import { linksOf } from '@errand/protocol';
import {
  countByStatus,
  countInvocations,
  explainRow,
  listInvocations,
  readInvocation,
  type InvocationCount,
  type ListedInvocation,
  type Queues,
} from '@errand/queue';
import type { Registry } from '@errand/registry';
import { toCursor } from './list-cursor.js';
import { toListItem, type ListFields } from './list-fields.js';
import type { PartialPage } from './page-of.js';
import { readFilters, readListQuery } from './read-list-query.js';
import type { RequestScope } from './request-scope.js';
import { toRow } from './to-row.js';
import { toResponse } from './to-response.js';

/** A page of invocations, and the number of all matches if the request has `count=true`. */
export interface InvocationsPage extends PartialPage<Partial<Invocation> | InvocationRow> {
  count?: InvocationCount;
}

/** The page that a query asks for. @throws ProblemError invalid_request */
export async function readListPage(
  { queues, registry }: { queues: Queues; registry: Registry },
  scope: RequestScope,
  query: Readonly<Record<string, unknown>>,
): Promise<InvocationsPage> {
  const { tenant } = scope;
  const { sought, limit, after, fields, rows, counts } = readListQuery(tenant, query);
  const [{ items, next, missing }, counted] = await Promise.all([
    listInvocations(queues, tenant, sought, { limit, after, details: fields.details }),
    counts ? countInvocations(queues, tenant, sought) : undefined,
  ]);
  return {
    items: rows
      ? await Promise.all(items.map((item) => readRow(queues, item)))
      : items.map((item) => toListItem(toInvocation(registry, item, fields, scope), fields)),
    nextCursor: toCursor({ tenant, sought }, next),
    ...(counted && { count: { value: counted.value, exact: counted.exact } }),
    ...partialOf(missing),
  };
}

/** The numbers of invocations by status that match the filters of a query. @throws ProblemError invalid_request */
export async function readCounts(
  queues: Queues,
  { tenant }: RequestScope,
  query: Readonly<Record<string, unknown>>,
): Promise<InvocationCounts> {
  const { counts, approximate, missing } = await countByStatus(queues, tenant, readFilters(query));
  const at = new Date().toISOString();
  return { counts, approximate, at, ...partialOf(missing) };
}

/** The steps of an ended invocation are stored with it. What several steps have done so far, and what one waits for, is stored beside an open one. */
export async function readRow(queues: Queues, item: ListedInvocation): Promise<InvocationRow> {
  const isPartial = !isFinal(item.status) && (item.steps.length > 1 || item.isSuspended);
  const whole = isPartial ? await readInvocation(queues, item.record.tenant, item.id) : undefined;
  const { steps } = whole ?? item;
  return toRow(item, steps, await explainRow(queues, { ...item, steps }));
}

/** Builds texts for a model only on request, because that costs more than the rest of an item. */
function toInvocation(
  registry: Registry,
  item: ListedInvocation,
  { names }: ListFields,
  scope: RequestScope,
): Invocation {
  if (names.has('observation') || names.has('messages')) return toResponse(registry, item, scope);
  const owner = scope.showsTenant ? { tenant: item.record.tenant } : {};
  return { ...item, ...owner, observation: null, links: linksOf(`/v1/invocations/${item.id}`) };
}
