import type { Invocation } from '@errand/contracts';

export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
}

/** A small client for tests: JSON in, JSON out, nothing hidden. */
export class Client {
  constructor(readonly url: string) {}

  async get<T = Record<string, unknown>>(path: string, headers: Record<string, string> = {}): Promise<Answer<T>> {
    return read<T>(await fetch(this.url + path, { headers }));
  }

  async post<T = Invocation>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return read<T>(
      await fetch(this.url + path, {
        method: 'POST',
        body: text,
        headers: { 'content-type': 'application/json', ...headers },
      }),
    );
  }

  /** Submits and waits for the end, for as long as it takes. */
  async invoke(body: unknown): Promise<Invocation> {
    const { status, body: accepted } = await this.post('/v1/invocations', body, { prefer: 'wait=20' });
    if (status === 200) return accepted;
    if (status !== 202) throw new Error(`refused with ${status}: ${JSON.stringify(accepted)}`);
    return this.untilEnded(accepted.id);
  }

  async untilEnded(id: string): Promise<Invocation> {
    for (;;) {
      const { body } = await this.get<Invocation>(`/v1/invocations/${id}?wait=60`);
      if (['succeeded', 'failed', 'cancelled'].includes(body.status)) return body;
    }
  }
}

async function read<T>(response: Response): Promise<Answer<T>> {
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, body: (json ? JSON.parse(text) : text) as T };
}

/** One server-sent event. */
export interface SentEvent {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

/** Reads a stream of server-sent events to its end. */
export async function readEventStream(url: string, headers: Record<string, string> = {}): Promise<SentEvent[]> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('id:'))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)![1]!;
      return { id: field('id'), event: field('event'), data: JSON.parse(field('data')) as Record<string, unknown> };
    });
}
