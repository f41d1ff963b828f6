import { isTenantName } from '@errand/platform';
import { EVERY_TENANT, type TenantReach } from '@errand/queue';
import { ProblemError } from './problem-error.js';

/** The header by which the operator acts for a tenant. */
export const TENANT_HEADER = 'x-errand-tenant';

/** The tenants that a request concerns. `guardAccess` sets it once for each request; nothing else decides about tenants. */
export interface RequestScope {
  /** New data belongs to this tenant, and lists show its data. */
  tenant: string;
  /** The tenants whose stored data the request finds by id. */
  reach: TenantReach;
  /** Responses name the tenant of each invocation. */
  showsTenant: boolean;
}

/** The tenant of a key, and the tenants that the request names. */
interface ScopeRequest {
  /** The tenant of the key. */
  caller: string;
  isOperator: boolean;
  /** The caller presented a key. Without keys, each caller is the operator and knows no other tenants. */
  hasKey: boolean;
  /** The header `X-Errand-Tenant`. */
  header: unknown;
  /** `tenant` in the query of a list. */
  query: unknown;
}

/**
 * The scope of a request. The operator acts for the named tenant. Without a name, new data belongs to the operator's own tenant, and an id is
 * found whatever its tenant. Every other caller acts for the tenant of its key.
 * @throws ProblemError forbidden if a key of one tenant names another; invalid_request for a malformed name, or two names
 */
export function resolveScope({ caller, isOperator, hasKey, header, query }: ScopeRequest): RequestScope {
  const byHeader = readName('X-Errand-Tenant', header);
  const byQuery = readName('tenant', query);
  if (byHeader !== undefined && byQuery !== undefined && byHeader !== byQuery)
    throw new ProblemError('invalid_request', 'X-Errand-Tenant and tenant name different tenants; give one of them');
  const named = byHeader ?? byQuery;
  if (isOperator) {
    const showsTenant = hasKey || named !== undefined;
    return { tenant: named ?? caller, reach: named ?? EVERY_TENANT, showsTenant };
  }
  if (named === undefined || named === caller) return { tenant: caller, reach: caller, showsTenant: false };
  const detail = `This key belongs to the tenant '${caller}'. Only a key without a tenant in ERRAND_API_KEYS may name another`;
  throw new ProblemError('forbidden', detail);
}

function readName(where: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && isTenantName(value)) return value;
  const given = typeof value === 'string' ? `, not '${value.slice(0, 80)}'` : ' and be given once';
  const message = `${where} must be the name of a tenant, up to 63 characters of a-z, 0-9, _ and -${given}`;
  throw new ProblemError('invalid_request', message);
}
