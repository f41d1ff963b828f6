import { array, assert, asyncProperty, constantFrom, nat } from 'fast-check';
import { readEvents } from './read-events.js';

async function eventsOf(...pieces: (string | Uint8Array<ArrayBuffer>)[]): Promise<object[]> {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces)
        controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
      controller.close();
    },
  });
  const events: object[] = [];
  for await (const event of readEvents(body)) events.push(event);
  return events;
}

describe('Reading server-sent events', () => {
  it('An event has its id, name and data', async () => {
    expect(
      await eventsOf('id: 1-0\nevent: status\ndata: {"status":"queued"}\n\nid: 2-0\nevent: log\ndata: {}\n\n'),
    ).toEqual([
      { id: '1-0', event: 'status', data: '{"status":"queued"}' },
      { id: '2-0', event: 'log', data: '{}' },
    ]);
  });

  it('Data lines are joined, the last id is kept, and comments and unknown fields are ignored', async () => {
    expect(await eventsOf('id: 7\ndata: a\ndata\ndata:  b\n\n: still here\n\nretry: 5\ndata: c\n\n')).toEqual([
      { id: '7', event: 'message', data: 'a\n\n b' },
      { id: '7', event: 'message', data: 'c' },
    ]);
  });

  it('An event that the stream did not finish is dropped', async () => {
    expect(await eventsOf('data: whole\n\ndata: half\n')).toEqual([{ id: '', event: 'message', data: 'whole' }]);
  });

  it('Events are read from chunks of any size and with any line ends', async () => {
    const lineEnd = constantFrom('\n', '\r\n', '\r');
    await assert(
      asyncProperty(array(nat(60), { maxLength: 12 }), lineEnd, async (cuts, end) => {
        const bytes = Buffer.from(
          ['id: 1', 'event: log', 'data: Grüße, 世界', '', 'data: 2', '', ': bye', ''].join(end),
        );
        const at = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((to, index) => bytes.subarray(at[index], to));
        expect(await eventsOf(...pieces)).toEqual([
          { id: '1', event: 'log', data: 'Grüße, 世界' },
          { id: '1', event: 'message', data: '2' },
        ]);
      }),
    );
  });
});
