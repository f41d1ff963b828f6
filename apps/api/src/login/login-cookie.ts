/** The cookie of a login session. */
export const LOGIN_COOKIE = 'errand_session';
/** The browser may keep the cookie for as long as the longest session, in s. */
const LONGEST_S = 7 * 86_400;
/** A header of cookies may have many from other programs of the same host. Node.js bounds it at 16 KiB. */
const PAIR = /(?:^|;)\s*errand_session=([^;]*)/g;

/**
 * The token in a `Cookie` header. Undefined if there is none, or if there are several: a page of a neighbouring host could have planted one
 * of them.
 */
export function tokenIn(cookies: string | undefined): string | undefined {
  if (!cookies?.includes(LOGIN_COOKIE)) return undefined;
  const [first, second] = [...cookies.matchAll(PAIR)];
  return second === undefined ? first?.[1] : undefined;
}

/** The value of `Set-Cookie` that gives the browser a token, or with an empty one takes it away. */
export function cookieWith(token: string, publicUrl: string | undefined): string {
  const age = token === '' ? 0 : LONGEST_S;
  const secure = publicUrl?.startsWith('https:') ? '; Secure' : '';
  return `${LOGIN_COOKIE}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}
