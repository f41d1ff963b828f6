import { ToolError, type DeliveryAttempt } from '@errand/contracts';
import type { Sent } from '@errand/queue';

/** From first to last, with the answer that is read. */
export const ATTEMPT_MS = 10_000;
/** Of an answer no more is read: nobody looks at it. */
const MAX_ANSWER_BYTES = 65_536;
const GONE = 410;

export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends one message and says what came of it: 2xx is success; 410, and an address that is not allowed, end the delivery; all else,
 * redirects too, is a failure that is tried again, after `Retry-After` where the receiver asks for that.
 */
export async function postMessage(fetch: typeof globalThis.fetch, { url, headers, body }: Post): Promise<Sent> {
  const begun = Date.now();
  const attempt = (more: Partial<DeliveryAttempt>): DeliveryAttempt => ({
    at: new Date(begun).toISOString(),
    durationMs: Date.now() - begun,
    ...more,
  });
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' });
    const { status: statusCode } = response;
    // The head has said all; how the rest ends changes nothing, and read in part it lets the connection be used again.
    await readAway(response).catch(() => undefined);
    if (response.ok) return { verdict: 'delivered', attempt: attempt({ statusCode }) };
    const error = `The receiver answered ${statusCode}${statusCode === GONE ? ': it wants no more of this' : ''}`;
    const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
    const verdict = statusCode === GONE ? 'refused' : 'failed';
    return { verdict, attempt: attempt({ statusCode, error }), ...(retryAfterMs !== undefined && { retryAfterMs }) };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    const isForbidden = thrown instanceof ToolError && thrown.type === 'SecurityError';
    return { verdict: isForbidden ? 'refused' : 'failed', attempt: attempt({ error }) };
  }
}

async function readAway({ body }: Response): Promise<void> {
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes >= MAX_ANSWER_BYTES) return;
  }
}

/** Seconds, or a date; what is neither is no wish. In ms from now. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return ms > 0 ? ms : undefined;
}
