import type { Told } from '../follow-invocation.js';
import type { AnswerInvocation } from '../answer-invocation.js';

/** What is told, as server-sent events. Each `data` carries the invocation's id and the time. */
export async function* toEventStream(
  invocationId: string,
  told: AsyncIterable<Told>,
  answer: AnswerInvocation,
): AsyncGenerator<string> {
  for await (const item of told) {
    if (item.kind === 'heartbeat') {
      yield ': still here\n\n';
      continue;
    }
    const data = {
      invocationId,
      at: new Date().toISOString(),
      ...item.data,
      ...(item.final && { invocation: answer.of(item.final) }),
    };
    yield `id: ${item.id}\nevent: ${item.event}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}
