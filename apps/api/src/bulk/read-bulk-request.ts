import { isFinal, isObject, STATUSES, type BulkKind, type JsonObject, type Status } from '@errand/contracts';
import type { BulkPlan, InvocationQuery } from '@errand/queue';
import { faultOfKeys, METADATA_KEYS } from '../http/bounded-keys.js';
import { ProblemError } from '../http/problem-error.js';
import { readListQuery } from '../http/read-list-query.js';
import type { BulkRequest } from './bulk-requests.js';

/** A dry run before its matches are counted. */
export type AskedPlan = Omit<BulkPlan, 'matched'>;

/** The statuses of the invocations that an action touches. */
const TOUCHED: { [kind in BulkKind]: readonly Status[] } = {
  cancel: STATUSES.filter((status) => !isFinal(status)),
  retry: ['failed', 'cancelled'],
  redeliver: STATUSES.filter(isFinal),
};
/** Parameters of the list of invocations that are no filters. */
const NO_FILTERS: readonly string[] = ['tenant', 'view', 'fields', 'count', 'limit', 'cursor', 'updatedAfter', 'ids'];

/** What a request to `POST /v1/bulk` asks for. @throws ProblemError invalid_request */
export function readBulkRequest(
  tenant: string,
  { action, filter, ids, dryRun, token, name }: BulkRequest,
): { token: string; name?: string | undefined } | AskedPlan {
  if (token !== undefined) {
    if (action !== undefined || filter !== undefined || ids !== undefined || dryRun !== undefined)
      refuse('A token stands for its dry run: send `token`, with `name` if you like, and nothing else');
    return { token, name };
  }
  if (action === undefined) refuse('Give `action`, `filter` or `ids`, and `dryRun: true`; or the `token` of a dry run');
  if (dryRun !== true)
    refuse('A bulk action needs a dry run: send the same with `dryRun: true`, and then its `token` alone');
  if (name !== undefined) refuse('name belongs beside `token`; leave it out of the dry run');
  if ((filter === undefined) === (ids === undefined))
    refuse('Give one of `filter` and `ids`; an empty filter matches every invocation of the tenant');
  const asOf = Date.now();
  const named = ids && { ids: [...new Set(ids)].toSorted().toReversed() };
  return { action, filter: filter ?? null, asOf, sought: soughtBy(tenant, action, filter ?? {}, asOf), ...named };
}

/** The filter as a query, bound to the moment of the dry run. @throws ProblemError invalid_request */
function soughtBy(tenant: string, action: BulkKind, filter: JsonObject, asOf: number): InvocationQuery {
  const { sought } = readListQuery(tenant, toParameters(filter));
  const { statuses = STATUSES, to = Infinity, finishedTo = Infinity } = sought;
  return {
    ...sought,
    statuses: TOUCHED[action].filter((status) => statuses.includes(status)),
    to: Math.min(to, asOf + 1),
    // What fails later was not in the dry run.
    ...(action === 'retry' && { finishedTo: Math.min(finishedTo, asOf + 1) }),
  };
}

/** The filter as the parameters of `GET /v1/invocations`. @throws ProblemError invalid_request */
function toParameters(filter: JsonObject): Record<string, unknown> {
  const parameters = new Map<string, unknown>();
  for (const [name, value] of Object.entries(filter)) {
    if (NO_FILTERS.includes(name)) refuse(`filter.${name} is no filter of a bulk action; leave it out`);
    if (name !== 'metadata') parameters.set(name, value);
    else for (const [key, each] of metadataIn(value)) parameters.set(`metadata.${key}`, toText(each));
  }
  return Object.fromEntries(parameters);
}

function metadataIn(value: unknown): [key: string, value: unknown][] {
  if (!isObject(value)) refuse('filter.metadata must be an object');
  const fault = faultOfKeys(value, METADATA_KEYS);
  if (fault !== undefined) refuse(`filter.metadata ${fault}`);
  return Object.entries(value);
}

/** The index knows numbers and booleans as texts. */
function toText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

function refuse(message: string): never {
  throw new ProblemError('invalid_request', message);
}
