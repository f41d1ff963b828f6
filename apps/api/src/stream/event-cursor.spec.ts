import { isFinal, STATUSES } from '@errand/contracts';
import { START, statusChanges, parseCursor, formatCursor, type EventCursor } from './event-cursor.js';

const kinds = (from: EventCursor, ...[status, alone]: [EventCursor['step'] & string, boolean]) =>
  statusChanges(from, status, alone).map(({ event, cursor }) => [event, formatCursor(cursor)]);

describe('The events of a status', () => {
  it('The event of a single step comes after the status of the invocation, and at the end before it', () => {
    expect(kinds(START, 'running', true)).toEqual([
      ['status', '0-running.none'],
      ['step', '0-running'],
    ]);
    expect(kinds({ number: 3, status: 'running', step: 'running' }, 'failed', true)).toEqual([
      ['step', '3-running.failed'],
      ['status', '3-failed'],
    ]);
  });

  it('A client gets no event of a status twice', () => {
    expect(kinds({ number: 3, status: 'running', step: 'running' }, 'running', true)).toEqual([]);
    expect(kinds({ number: 3, status: 'running', step: 'running' }, 'running', false)).toEqual([]);
  });

  it('The status of an invocation with several steps has no step event', () => {
    expect(kinds(START, 'running', false)).toEqual([['status', '0-running']]);
  });

  it.each(STATUSES)('A client that was disconnected at any event before %s gets the remaining ones', (status) => {
    for (const from of [START, { number: 1, status: 'queued', step: 'queued' } as const]) {
      const changes = statusChanges(from, status, true);
      for (const [n, { cursor }] of changes.entries())
        expect(statusChanges(parseCursor(formatCursor(cursor))!, status, true)).toEqual(changes.slice(n + 1));
      expect(changes.at(-1)?.event ?? 'none').toBe(
        status === from.status ? 'none' : isFinal(status) ? 'status' : 'step',
      );
    }
  });
});

describe('The id of an event', () => {
  it.each(['0', '12', '12-running', '12-running.queued', '0-queued.none', '7-none.failed', '7-end'])(
    'An event id is the same after reading and writing: %s',
    (text) => {
      expect(formatCursor(parseCursor(text)!)).toBe(text);
    },
  );

  it.each([
    '',
    'x',
    '-1',
    '1-2',
    '1-nonsense',
    '1-running.nonsense',
    '1-running.end',
    '1-end.running',
    '1-running.',
    '1-.running',
    '9'.repeat(20),
  ])('The malformed event id %j is refused', (text) => {
    expect(parseCursor(text)).toBeUndefined();
  });
});
