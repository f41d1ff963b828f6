import { UsageError } from '../command-line.js';

/** What a message says about a good address. */
const GOOD = 'an address such as https://errand.example or http://127.0.0.1:3000';
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])(?=[:/]|$)/i;

/**
 * The address of an API without a slash at its end. It may have a path, for a proxy that serves Errand below one.
 * @param from the origin of the text, for messages: an option, a setting or a profile
 * @throws UsageError that repeats no password
 */
export function readAddress(text: string, from: string): string {
  const fail = (reason: string): never => {
    throw new UsageError(`${from} ${reason}`);
  };
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return fail(withoutScheme(text));
  const url = URL.canParse(text) ? new URL(text) : fail(`must be ${GOOD}`);
  if (!['http:', 'https:'].includes(url.protocol)) return fail(`must begin with http:// or https://: ${GOOD}`);
  if (url.username !== '' || url.password !== '')
    return fail('has a user name or a password; Errand takes an API key: --key, ERRAND_API_KEY or a profile');
  if (url.search !== '' || url.hash !== '') return fail(`must end before ? and #: ${url.origin}${url.pathname}`);
  const path = url.pathname.replace(/\/+$/, '');
  if (/\/v1(\/|$)/.test(path)) return fail(`must end before /v1: ${url.origin}${path.replace(/\/v1(\/.*)?$/, '')}`);
  return url.origin + path;
}

function withoutScheme(text: string): string {
  const guess = `${LOOPBACK.test(text) ? 'http' : 'https'}://${text}`;
  const isHost = /^[\w.[\]:-]+(\/[\w./-]*)?$/.test(text) && URL.canParse(guess);
  return isHost ? `has no scheme, did you mean ${guess}?` : `must be ${GOOD}`;
}

/**
 * Checks that a header carries the key unchanged.
 * @param from the origin of the key, for the message
 * @throws UsageError that does not repeat the key
 */
export function readKey(text: string, from: string): string {
  const key = text.trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError(`${from} must be visible ASCII characters without blanks`);
  return key;
}
