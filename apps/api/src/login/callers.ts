import { createHmac } from 'node:crypto';
import { SCOPES, type AccessScope } from '@errand/contracts';
import { createAccessCheck, DEFAULT_TENANT, isOperator, type ApiKey, type Credentials } from '@errand/platform';

/** Who sends a request. */
export interface Caller {
  tenant: string;
  scopes: readonly AccessScope[];
  isOperator: boolean;
  /** Undefined where the server has no keys. */
  key?: ApiKey;
  /** The login session that the request used. */
  session?: { digest: string; expiresAt: number };
}

/** Keys of a tenant in ERRAND_API_KEYS. Keys without a tenant have every scope. */
const TENANT_SCOPES: readonly AccessScope[] = ['invoke', 'operate'];
const SHOWN_OF_NAME = 12;

/** The callers that this server knows by their keys. A key has a name that does not reveal it, the same in every process. */
export class Callers {
  private readonly check: ReturnType<typeof createAccessCheck>;
  private readonly byKey: ReadonlyMap<string, Caller>;
  private readonly byName = new Map<string, Caller>();
  private secret: Uint8Array | undefined;

  /** @param readSecret reads the secret of the installation that makes the names */
  constructor(
    private readonly keys: readonly ApiKey[],
    private readonly readSecret: () => Promise<Uint8Array>,
  ) {
    this.check = createAccessCheck(keys);
    this.byKey = new Map(keys.map((key) => [key.key, callerOf(key.tenant, key)]));
  }

  get hasKeys(): boolean {
    return this.keys.length > 0;
  }

  /** The caller that presents these credentials. Undefined if the key is missing or wrong. */
  identify(credentials: Credentials): Caller | undefined {
    const decision = this.check(credentials);
    if ('refused' in decision) return undefined;
    return decision.key ? this.byKey.get(decision.key.key) : LOCAL;
  }

  /** `key:<id>`, or `local` where the server has no keys. @throws any error of Redis */
  async subjectOf({ key }: Caller): Promise<string> {
    return key ? `key:${(await this.nameOf(key)).slice(0, SHOWN_OF_NAME)}` : 'local';
  }

  /** The name of a key. @throws any error of Redis */
  async nameOf({ key }: ApiKey): Promise<string> {
    this.secret ??= await this.readSecret();
    return createHmac('sha256', this.secret).update(key).digest('hex');
  }

  /** The caller with the key of this name. Undefined if the server does not have that key any more. @throws any error of Redis */
  async withKey(name: string): Promise<Caller | undefined> {
    if (this.byName.size < this.byKey.size)
      for (const caller of this.byKey.values()) if (caller.key) this.byName.set(await this.nameOf(caller.key), caller);
    return this.byName.get(name);
  }
}

function callerOf(tenant: string, key?: ApiKey): Caller {
  const operates = isOperator({ tenant });
  return { tenant, scopes: operates ? SCOPES : TENANT_SCOPES, isOperator: operates, ...(key && { key }) };
}

/** Everybody, where the server has no keys. */
const LOCAL = callerOf(DEFAULT_TENANT);
