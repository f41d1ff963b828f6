import type { NotificationHub, Queues, StoredInvocation } from '@errand/queue';
import type { Registry } from '@errand/registry';
import { START } from './event-cursor.js';
import { InvocationWatcher } from './wait-for-invocation.js';

const QUEUED = { id: 'inv_1', status: 'queued' } as StoredInvocation;
const SCOPE = { tenant: 'acme', reach: 'acme', showsTenant: false } as const;
const HOUR_MS = 3_600_000;

/** A watcher whose server closes. A wait that is not aborted from its begin fails. */
function closingWatcher(): InvocationWatcher {
  const wait = async () => {
    throw new Error('it waits although the server closes');
  };
  const notifications = {
    listen: () => ({ outcome: undefined, next: wait, close: () => {} }),
    listenToEnds: () => ({ begin: () => {}, untilEnded: wait, close: () => {} }),
  } as unknown as NotificationHub;
  const watcher = new InvocationWatcher({} as Queues, notifications, {} as Registry);
  watcher.release();
  return watcher;
}

const onDisconnect = () => () => {};

describe('A server that closes', () => {
  it('A wait for an end that opens while the server closes ends at once', async () => {
    const wait = closingWatcher().openWait('acme', 'inv_1', HOUR_MS, onDisconnect);
    expect(await wait.untilEnd(QUEUED)).toBe(QUEUED);
    wait.close();
  });

  it('A wait for several ends that opens while the server closes ends at once', async () => {
    const wait = closingWatcher().openEndsWait(['inv_1', 'inv_2'], HOUR_MS, onDisconnect);
    await wait.untilEnded(async () => ['inv_1']);
    wait.close();
  });

  it('An event stream that opens while the server closes ends without an event', async () => {
    const stream = closingWatcher().stream({ scope: SCOPE, id: 'inv_1', alone: true }, START, onDisconnect);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it('A translation of events that opens while the server closes ends without an event', async () => {
    const followed = closingWatcher().follow('acme', 'inv_1', 0, onDisconnect);
    expect(await followed.next()).toEqual({ done: true, value: undefined });
  });
});
