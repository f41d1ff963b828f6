import { RemoteError } from './remote-error.js';

/** A `fetch` for one connection that remembers why it failed, because the SDK keeps only the text of some failures. */
export interface WatchedFetch {
  fetch: typeof globalThis.fetch;
  /** The last failure of a request or of a response body. */
  readonly failure: unknown;
}

/** Follows no redirect: a redirect fails the request, with its target in the message. */
export function watchFetch(server: string, fetch: typeof globalThis.fetch): WatchedFetch {
  const watched: { failure: unknown } = { failure: undefined };
  const note = (thrown: unknown): never => {
    watched.failure = thrown;
    throw thrown;
  };
  const watchedFetch: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' }).catch((thrown: unknown) =>
      init?.signal?.aborted ? Promise.reject(thrown as Error) : note(thrown),
    );
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      const target = (response.headers.get('location') ?? 'another address').replace(/[?#].*$/s, '').slice(0, 200);
      note(new RemoteError('SecurityError', `The server '${server}' redirects to ${target}; no redirect is followed`, 'none')); // prettier-ignore
    }
    const { body, status, statusText, headers } = response;
    if (!body) return response;
    const isGone = () => init?.signal?.aborted === true;
    return new Response(
      watchBody(body, (thrown) => isGone() || (watched.failure = thrown)),
      {
        status,
        statusText,
        headers,
      },
    );
  };
  return {
    fetch: watchedFetch,
    get failure() {
      return watched.failure;
    },
  };
}

function watchBody(body: ReadableStream<Uint8Array>, onFailure: (thrown: unknown) => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (thrown) {
        onFailure(thrown);
        controller.error(thrown);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
