import type { AccessScope, Feature, Whoami } from '@errand/contracts';
import { computed, signal } from '@preact/signals';
import { actingTenant, chooseTenant } from './acting-tenant.js';
import { RefusedRequest } from './problems.js';
import { read, send, whenSessionEnds } from './call-api.js';

/** `undefined` before the first answer, `null` without a login session. */
export const whoami = signal<Whoami | null | undefined>(undefined);
/** Why the caller is unknown, as long as the API does not answer. */
export const startProblem = signal<unknown>(undefined);

export const isOperator = computed(() => operates(whoami.value));

/** Whose data the browser keeps. */
const OWNER = 'errand-owner';

/** Everything that the console keeps in the browser has a name with this beginning, except the theme and the shortcuts. */
const KEPT = 'errand-';
const OF_THE_BROWSER: ReadonlySet<string> = new Set(['errand-theme', 'errand-shortcuts']);

/** Whether this page has known a caller. */
let hasHadSession = false;

whenSessionEnds(() => (whoami.value = null));

/** Learns who the caller is. */
export async function findCaller(): Promise<void> {
  try {
    accept(await read<Whoami>('/v1/whoami'));
    startProblem.value = undefined;
  } catch (error) {
    if (error instanceof RefusedRequest && error.status === 401) whoami.value = null;
    else startProblem.value = error;
  }
}

/** Begins a login session. @throws RefusedRequest for a wrong key */
export async function logIn(key: string): Promise<void> {
  accept(await send<Whoami>('POST', '/v1/login', { body: { key } }));
}

/** Ends the login session, and deletes what the console kept of the tenant. The page begins anew, so that nothing stays in its memory. */
export async function logOut(): Promise<void> {
  await send('POST', '/v1/logout');
  forgetTenant();
  location.reload();
}

/** Data that the console kept for another caller, whose session ended without a logout, are deleted. */
function accept(caller: Whoami): void {
  const owner = `${caller.tenant} ${caller.subject}`;
  if ((localStorage.getItem(OWNER) ?? owner) !== owner) forgetTenant();
  localStorage.setItem(OWNER, owner);
  // An earlier session of this page has ended without a logout. Its data are still in memory.
  if (hasHadSession) return location.reload();
  hasHadSession = true;
  chooseTenant({ tenant: caller.tenant, isOperator: operates(caller) }, location.href);
  whoami.value = caller;
}

function forgetTenant(): void {
  for (const storage of [localStorage, sessionStorage])
    for (const name of Object.keys(storage))
      if (name.startsWith(KEPT) && !OF_THE_BROWSER.has(name)) storage.removeItem(name);
}

function operates(caller: Whoami | null | undefined): boolean {
  return caller?.tenant === 'default' && caller.scopes.includes('admin');
}

/**
 * The tenant whose data this tab shows. The names in the storage of the browser contain it, because the operator acts for several tenants. It never
 * contains a `:`.
 */
export function shownTenant(): string {
  return actingTenant() ?? whoami.value?.tenant ?? '';
}

/** Whether the caller may do what needs this scope. `operate` includes `read`. */
export function hasScope(scope: AccessScope): boolean {
  const scopes = whoami.value?.scopes ?? [];
  return scopes.includes(scope) || (scope === 'read' && scopes.includes('operate'));
}

/** The parts of Errand that this server has. */
export function features(): readonly Feature[] {
  return whoami.value?.features ?? [];
}
