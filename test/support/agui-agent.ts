import { HttpAgent } from '@ag-ui/client';

type Run = NonNullable<Parameters<HttpAgent['runAgent']>[0]>;

/** An event, with every field readable. */
export type RunEvent = { type: string; [field: string]: unknown };

/** A front end: the published client of AG-UI, which refuses a stream that breaks its rules. It records the events of the last run. */
export class FrontEnd extends HttpAgent {
  events: RunEvent[] = [];
  response: Response | undefined;

  static of(url: string, threadId: string, headers: Record<string, string> = {}): FrontEnd {
    const agent = new FrontEnd({ url, threadId, headers });
    agent.fetch = async (address, init) => (agent.response = await fetch(address, init));
    agent.subscribe({ onEvent: ({ event }) => void agent.events.push(event) });
    return agent;
  }

  /** Says something, and returns the events of the run. */
  async say(content: string, run: Run = {}): Promise<RunEvent[]> {
    this.addMessage({ id: crypto.randomUUID(), role: 'user', content });
    return this.go(run);
  }

  /** Runs with the messages as they are. */
  async go(run: Run = {}): Promise<RunEvent[]> {
    this.events = [];
    await this.runAgent(run);
    return this.events;
  }

  /** Gives the results of client tools, and returns the events of the run. */
  async answer(results: Record<string, string>, run: Run = {}): Promise<RunEvent[]> {
    for (const [toolCallId, content] of Object.entries(results))
      this.addMessage({ id: crypto.randomUUID(), role: 'tool', toolCallId, content });
    return this.go(run);
  }
}

export function typesOf(events: readonly { type: string }[]): string[] {
  return events.map(({ type }) => type);
}

/** The first event of this type. */
export function eventOf(events: readonly RunEvent[], type: string): RunEvent | undefined {
  return events.find((event) => event.type === type);
}

/** Sends a body as it is, and reads the whole response as events. */
export async function postRun(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; text: string; events: RunEvent[] }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const frames = isStream ? text.split('\n\n').filter((frame) => frame.startsWith('data: ')) : [];
  const events = frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as RunEvent);
  return { status: response.status, headers: response.headers, text, events };
}
