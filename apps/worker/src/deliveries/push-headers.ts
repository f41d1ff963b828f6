import type { Push } from '@errand/queue';

/** The media type of A2A 1.0. In 0.3, a message is plain JSON. */
const A2A_JSON = 'application/a2a+json';

/** The headers that a push configuration adds to its messages: the token, and the credentials that the receiver asked for. */
export function pushHeaders({ version, token, authentication }: Push): Record<string, string> {
  return {
    ...(version === '1.0' && { 'content-type': A2A_JSON }),
    ...(token !== undefined && { 'x-a2a-notification-token': token }),
    ...(authentication && { authorization: `${authentication.scheme} ${authentication.credentials}`.trim() }),
  };
}
