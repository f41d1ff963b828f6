/** The part of the query that names the tenant for which the operator acts. */
const PARAMETER = 'tenant';
const NAME = /^[a-z0-9_-]{1,63}$/;

let caller: { tenant: string; isOperator: boolean } = { tenant: '', isOperator: false };
let acting: string | undefined;

/** Whether a text can be the name of a tenant. */
export function isTenantName(text: string): boolean {
  return NAME.test(text);
}

/** The tenant for which the operator acts in this tab. Undefined: that of the key. */
export function actingTenant(): string | undefined {
  return acting;
}

/** Learns who the caller is. The operator acts for the tenant that the address names. */
export function chooseTenant(found: { tenant: string; isOperator: boolean }, url: string): void {
  caller = found;
  acting = tenantIn(url);
}

/** The tenant that an address names, unless it is that of the key or the caller may not name one. */
function tenantIn(url: string): string | undefined {
  const named = new URL(url, 'http://page').searchParams.get(PARAMETER);
  if (!caller.isOperator || named === null || named === caller.tenant || !isTenantName(named)) return undefined;
  return named;
}

/** An address of the console that names the tenant for which the operator acts. One that names a tenant already stays. */
export function withTenant(url: string): string {
  if (acting === undefined) return url;
  const target = new URL(url, 'http://page');
  if (target.searchParams.has(PARAMETER)) return url;
  target.searchParams.set(PARAMETER, acting);
  return target.pathname + target.search + target.hash;
}

/** Whether an address belongs to another tenant than the one for which this tab acts. */
export function namesAnother(url: string): boolean {
  return new URL(url, 'http://page').searchParams.has(PARAMETER) && tenantIn(url) !== acting;
}

/** The address at which the operator acts for a tenant, or for that of the key. */
export function addressFor(tenant: string): string {
  return tenant === caller.tenant ? '/console/' : `/console/?${PARAMETER}=${tenant}`;
}
