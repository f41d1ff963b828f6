/** What a subject may do. `operate` includes `read`. `admin` of the tenant `default` is the operator. */
export const SCOPES = ['invoke', 'read', 'operate', 'admin'] as const;
export type AccessScope = (typeof SCOPES)[number];

/** Parts of Errand that a server may lack. A client shows what belongs to an absent part nowhere. */
export const FEATURES = [
  'approvals',
  'audit',
  'budgets',
  'schedules',
  'flow',
  'waits',
  'usage',
  'keys',
  'tenants',
  'turns',
  'observedPermissions',
] as const;
export type Feature = (typeof FEATURES)[number];

/** GET /v1/whoami: the caller, and what this server has. */
export interface Whoami {
  tenant: string;
  /** `key:<id>` for a key; `local` where the server has no keys. */
  subject: string;
  scopes: readonly AccessScope[];
  /** When the login session ends if it is not used (ISO 8601). `null` for a caller without a login session. */
  expiresAt: string | null;
  features: readonly Feature[];
  /** The version of the server. */
  version: string;
}
