import { clientOf } from '@errand/platform';
import { countFailedLogin, type Queues } from '@errand/queue';

const WINDOW_MS = 60_000;
/** So many failures of a client in a minute are answered with 401, and further ones with 429. */
const MOST = 30;
/** Clients beyond this number push the oldest one out. */
const CLIENTS = 10_000;

/**
 * Counts a failed login of an address: in this process first, so that a flood costs Redis nothing, then for all processes. While Redis is away,
 * this process counts alone.
 * @returns after how many seconds the address may fail again, if it has failed too often
 */
export async function noteFailure(failed: FailedLogins, queues: Queues, address: string): Promise<number | undefined> {
  const own = failed.add(address);
  if (own !== undefined) return own;
  return countFailedLogin(queues, clientOf(address), { most: MOST, windowMs: WINDOW_MS }).catch(() => undefined);
}

/** Counts the failed logins of each client in this process. */
export class FailedLogins {
  private readonly clients = new Map<string, { count: number; until: number }>();

  /**
   * Counts a failure. Returns after how many seconds the client may fail again, if it has failed too often.
   * @param now in ms
   */
  add(address: string, now = Date.now()): number | undefined {
    const client = clientOf(address);
    const known = this.clients.get(client);
    const entry = known && known.until > now ? known : { count: 0, until: now + WINDOW_MS };
    entry.count++;
    this.clients.delete(client);
    this.clients.set(client, entry);
    if (this.clients.size > CLIENTS) this.clients.delete(this.clients.keys().next().value ?? '');
    return entry.count > MOST ? Math.max(1, Math.ceil((entry.until - now) / 1_000)) : undefined;
  }
}
