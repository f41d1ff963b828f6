import { ToolError, type Callback } from '@errand/contracts';
import { checkCallbackUrl, parseWebhookSecret, type AllowList } from '@errand/platform';
import { ProblemError } from './http/problem-error.js';
import type { CallbackRequest } from './http/submission-requests.js';

/**
 * The callback of a request, once it is known that it may be called. What its name leads to is judged at each connect.
 * @throws ProblemError `unsupported_callback_url`; `invalid_request` where the secret is none, which is never repeated
 */
export function requireCallback({ url, events, secret }: CallbackRequest, allow: AllowList): Callback {
  requireUrl(url, allow);
  if (secret !== undefined) requireSecret(secret);
  return { url, ...(events && { events }), ...(secret !== undefined && { secret }) };
}

function requireUrl(url: string, allow: AllowList): void {
  try {
    checkCallbackUrl(url, allow);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { message } = error;
    throw new ProblemError('unsupported_callback_url', message, { errors: [{ path: '/callback/url', message }] });
  }
}

function requireSecret(secret: string): void {
  try {
    parseWebhookSecret(secret);
  } catch (error) {
    const message = `callback.secret ${(error as Error).message}`;
    throw new ProblemError('invalid_request', message, { errors: [{ path: '/callback/secret', message }] });
  }
}
