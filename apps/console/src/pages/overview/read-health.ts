import { ServerAway } from '../../api/problems.js';

/** `GET /readyz`: whether submissions are accepted. Each check is `ok` or says what is wrong. */
export interface Health {
  ready: boolean;
  checks: Readonly<Record<string, string>>;
  /** Live script-runners by label. */
  runners?: Readonly<Record<string, number>>;
}

/** Reads the health, also of a server that is not ready. @throws ServerAway if the API does not answer */
export async function readHealth(signal: AbortSignal): Promise<Health> {
  try {
    const response = await fetch('/readyz', { signal, headers: { accept: 'application/json' } });
    return (await response.json()) as Health;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ServerAway();
  }
}
