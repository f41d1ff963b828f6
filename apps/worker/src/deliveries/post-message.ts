import { ToolError, type DeliveryAttempt } from '@errand/contracts';
import type { Sent } from '@errand/queue';

/** The limit of one attempt, including the reading of the response. */
export const ATTEMPT_MS = 10_000;
/** The limit of the response body. Its content is not used. */
const MAX_RESPONSE_BYTES = 65_536;
const GONE = 410;

export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends one message. A 2xx response is success. A 410 response and a forbidden address end the delivery. Everything else, also a
 * redirect, is a failure with a retry, after `Retry-After` if the response has that header.
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
    // The status decides, so an error in the body does not matter. A body that was read frees the connection for reuse.
    await discardBody(response).catch(() => undefined);
    if (response.ok) return { verdict: 'delivered', attempt: attempt({ statusCode }) };
    const error = `The receiver answered ${statusCode}${statusCode === GONE ? ': it wants no more messages' : ''}`;
    const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
    const verdict = statusCode === GONE ? 'refused' : 'failed';
    return { verdict, attempt: attempt({ statusCode, error }), ...(retryAfterMs !== undefined && { retryAfterMs }) };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    const isForbidden = thrown instanceof ToolError && thrown.type === 'SecurityError';
    return { verdict: isForbidden ? 'refused' : 'failed', attempt: attempt({ error }) };
  }
}

async function discardBody({ body }: Response): Promise<void> {
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes >= MAX_RESPONSE_BYTES) return;
  }
}

/** Reads seconds or a date, as ms from now; undefined for any other text. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return ms > 0 ? ms : undefined;
}
