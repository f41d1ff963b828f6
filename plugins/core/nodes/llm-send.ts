import { setTimeout } from 'node:timers/promises';
import { isObject, ToolError } from '@errand/contracts';
import type { LlmEndpoint } from './llm-endpoint.js';
import type { CompletionRequest } from './llm-request.js';

/** The endpoint is busy or failing for now; the same request may do later. */
const PASSING = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);
const FIRST_PAUSE_MS = 500;
/** Who asks for a longer pause is not waited for. */
const LONGEST_PAUSE_MS = 60_000;
const MAX_REASON = 500;

/**
 * Sends the request until the endpoint accepts it, at most `retries` times more, with the pauses that it asks for (`Retry-After`), else
 * doubled ones.
 * @throws ServiceError where it stays busy or out of reach, NodeError where it refuses the request, or the reason of the signal
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

/** Why it did not work out for now, and when to ask again, if the endpoint says so. */
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
  const said = `the language model answered ${response.status}: ${await refusalOf(response, endpoint.secret)}`;
  if (!PASSING.has(response.status)) throw new ToolError('NodeError', said, { status: response.status });
  return {
    error: new ToolError('ServiceError', said, { status: response.status }),
    pauseMs: pauseOf(response.headers.get('retry-after')),
  };
}

function reasonOf(error: unknown): string {
  const deepest = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return deepest instanceof Error
    ? deepest.message || (deepest as NodeJS.ErrnoException).code || deepest.name
    : String(deepest);
}

/** What the endpoint says: the message of OpenAI's error object, else the beginning of the body; the key is blotted out. */
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
