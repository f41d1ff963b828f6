import { ToolError } from '@errand/contracts';
import type { Response as UndiciResponse } from 'undici';

/** Statuses whose responses have no body; `new Response` refuses one. */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/**
 * The response with a body that ends in an error once it is longer than `maxBytes`; what `explain` makes of a failure on the way is
 * what a reader sees.
 * @throws ResourceLimitError where the length that is announced is too great already
 */
export async function boundResponse(
  response: UndiciResponse,
  maxBytes: number,
  explain: (thrown: unknown) => unknown,
): Promise<Response> {
  const { status, statusText, body } = response;
  const head = { status, statusText, headers: [...response.headers] as [string, string][] };
  if (body === null || WITHOUT_BODY.has(status)) return new Response(null, head);
  const tooLarge = () =>
    new ToolError('ResourceLimitError', `The response is larger than the ${maxBytes} bytes that are allowed`);
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await body.cancel();
    throw tooLarge();
  }
  const reader = body.getReader();
  let length = 0;
  const bounded = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        length += value.byteLength;
        if (length <= maxBytes) return controller.enqueue(value);
        await reader.cancel();
        controller.error(tooLarge());
      } catch (thrown) {
        controller.error(explain(thrown));
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(bounded, head);
}
