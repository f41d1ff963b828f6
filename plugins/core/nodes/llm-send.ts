import { setTimeout } from 'node:timers/promises';
import { isObject, ToolError } from '@errand/contracts';
import type { LlmEndpoint } from './llm-endpoint.js';
import type { CompletionRequest } from './llm-request.js';

/** Status codes of a busy or failing endpoint; the same request may succeed later. */
const PASSING = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);
const FIRST_PAUSE_MS = 500;
/** If the endpoint asks for a longer pause, the node fails. */
const LONGEST_PAUSE_MS = 60_000;
const MAX_REASON = 500;

/**
 * Sends the request until the endpoint accepts it, with at most `retries` retries. The pauses are those of `Retry-After`, or else they
 * double.
 * @throws ServiceError if the endpoint stays busy or unreachable, NodeError if it refuses the request, or the reason of the signal
 */
export async function sendToLlm(
  endpoint: LlmEndpoint,
  request: CompletionRequest,
  retries: number,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await send(endpoint, request, signal);
    if (outcome instanceof Response) return outcome;
    const pauseMs = outcome.pauseMs ?? FIRST_PAUSE_MS * 2 ** attempt;
    if (attempt >= retries || pauseMs > LONGEST_PAUSE_MS) throw outcome.error;
    log(`${outcome.error.message}; asking again in ${pauseMs} ms`);
    await setTimeout(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** The temporary failure, and the pause until the next attempt, if the endpoint names one. */
interface Setback {
  error: ToolError;
  pauseMs?: number | undefined;
}

async function send(
  endpoint: LlmEndpoint,
  request: CompletionRequest,
  signal: AbortSignal,
): Promise<Response | Setback> {
  let response: Response;
  try {
    response = await endpoint.fetch(endpoint.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...endpoint.headers },
      body: JSON.stringify(request),
      // A redirect could lead the key elsewhere.
      redirect: 'manual',
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolError && error.type !== 'ServiceError') throw error;
    return { error: new ToolError('ServiceError', `the language model cannot be reached: ${reasonOf(error)}`) };
  }
  if (response.ok) return response;
  const message = `the language model answered ${response.status}: ${await refusalOf(response, endpoint.secret)}`;
  if (!PASSING.has(response.status)) throw new ToolError('NodeError', message, { status: response.status });
  return {
    error: new ToolError('ServiceError', message, { status: response.status }),
    pauseMs: pauseOf(response.headers.get('retry-after')),
  };
}

function reasonOf(error: unknown): string {
  const deepest = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return deepest instanceof Error
    ? deepest.message || (deepest as NodeJS.ErrnoException).code || deepest.name
    : String(deepest);
}

/** The message of OpenAI's error object, or else the beginning of the body. The key is masked. */
async function refusalOf(response: Response, secret: string | undefined): Promise<string> {
  const text = await response.text();
  const message = secret === undefined ? messageIn(text) : messageIn(text).replaceAll(secret, '…');
  return message.slice(0, MAX_REASON).trim() || response.statusText || 'without a reason';
}

function messageIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const error = isObject(body) ? body.error : undefined;
    if (isObject(error) && typeof error.message === 'string') return error.message;
    return typeof error === 'string' ? error : text;
  } catch {
    return text;
  }
}

/** `Retry-After` in ms: seconds, or a date. */
function pauseOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
