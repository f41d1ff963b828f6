/** The reach of the operator. It is a symbol, so that no text of a request can be equal to it. */
export const EVERY_TENANT: unique symbol = Symbol('every tenant');

/** The tenants whose stored invocations a reader finds by id: one tenant, or all of them. */
export type TenantReach = string | typeof EVERY_TENANT;

/** Whether a stored invocation of `tenant` is in reach. Undefined, for a job without a record, is in no reach. */
export function isInReach(reach: TenantReach, tenant: string | undefined): boolean {
  return tenant !== undefined && (reach === EVERY_TENANT || reach === tenant);
}
