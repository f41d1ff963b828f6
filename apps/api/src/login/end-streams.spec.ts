import { EventEmitter, once } from 'node:events';
import type { StopSignal } from '@errand/queue';
import type { FastifyReply } from 'fastify';
import { OPENAPI } from '../http/openapi/document.js';
import { endWithSession, isEventStream } from './end-streams.js';

const DIGEST = 'd'.repeat(64);
const CHECK_MS = 1_000;

/** The response of a stream. */
class FakeResponse extends EventEmitter {
  destroyed = false;

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

/** The notifications and the checks of a session. Each wait of a stream ends at once, or with `waits` by its signal only. */
class FakeSession {
  listening = 0;
  readonly intervals: (number | undefined)[] = [];
  readonly raw = new FakeResponse();
  /** The answers of Redis, in order. */
  constructor(
    private readonly answers: (boolean | Error)[],
    private readonly waits = false,
  ) {}

  open(): void {
    const sessions = { exists: async () => this.answer() };
    const subscription = {
      outcome: undefined,
      next: async (signal: StopSignal, ms?: number) => {
        this.intervals.push(ms);
        if (this.waits) await new Promise<void>((resolve) => signal.addEventListener('abort', resolve));
        return false;
      },
      close: () => void this.listening--,
    };
    const listen = () => {
      this.listening++;
      return subscription;
    };
    const reply = { raw: this.raw } as unknown as FastifyReply;
    endWithSession(reply, DIGEST, { sessions, notifications: { listen } }, CHECK_MS);
  }

  private answer(): boolean {
    const next = this.answers.shift();
    if (next === undefined) throw new Error('unexpected check');
    if (next instanceof Error) throw next;
    return next;
  }
}

describe('An event stream of a login session', () => {
  it('A stream ends when its session has expired, although nobody is notified of that', async () => {
    const session = new FakeSession([true, true, false]);
    session.open();
    await once(session.raw, 'close');
    expect(session.intervals).toEqual([CHECK_MS, CHECK_MS]);
    expect(session.listening).toBe(0);
  });

  it('A stream outlives a time in which Redis does not answer', async () => {
    const session = new FakeSession([true, new Error('Redis is away'), true, false]);
    session.open();
    await once(session.raw, 'close');
    expect(session.intervals).toHaveLength(3);
  });

  it('A stream that its client closes leaves no subscription', async () => {
    const session = new FakeSession([true], true);
    session.open();
    await new Promise(setImmediate);
    expect(session.listening).toBe(1);
    session.raw.destroy();
    await new Promise(setImmediate);
    expect(session.listening).toBe(0);
  });

  it('A client that has gone before its stream begins leaves no subscription', () => {
    const session = new FakeSession([]);
    session.raw.destroy();
    session.open();
    expect({ listening: session.listening, listeners: session.raw.listenerCount('close') }).toEqual({
      listening: 0,
      listeners: 0,
    });
  });
});

it('The routes that end with a login session are those that the OpenAPI document describes as event streams', () => {
  const paths = Object.entries(OPENAPI.paths as Record<string, object>);
  const streams = paths.filter(
    ([path, methods]) => path.startsWith('/v1/') && JSON.stringify(methods).includes('text/event-stream'),
  );
  const routes = streams.map(([path]) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
  expect(routes).toHaveLength(2);
  expect(routes.filter((route) => !isEventStream(route))).toEqual([]);
});
