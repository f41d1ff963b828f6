import { newInvocationId } from '@errand/contracts';
import { useQueues } from '../../test/use-queues.js';
import { EventWriter, readEvents, readLogLines, readLogPage, type Queues } from '../index.js';

const kit = useQueues();
let queues: Queues;
beforeAll(() => {
  ({ queues } = kit);
});

const fail = (error: unknown) => {
  throw error;
};

/** Logs the lines `line <from>` to `line <to>`, of the steps 0 and 1 in turn, with a report of progress after every tenth. */
async function logLines(writer: EventWriter, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) {
    writer.emit({ event: 'log', line: `line ${n}`, stream: 'node', step: n % 2 });
    if (n % 10 === 0) writer.emit({ event: 'progress', value: n / 1_000_000 });
  }
  await writer.flush();
}

async function readAll(id: string, filter: { step?: number; text?: string } = {}, limit = 10_000) {
  const items = [];
  for (let cursor: string | null = '0'; cursor !== null;) {
    const page = await readLogPage(queues, id, { after: Number(cursor), ...filter }, limit);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

const numbersTo = (count: number, from = 1) => Array.from({ length: count - from + 1 }, (_, n) => n + from);

describe('The log of an invocation', () => {
  it('A log of any length can be read by pages, although the event stream keeps fewer events', async () => {
    const id = newInvocationId();
    await logLines(new EventWriter(queues, id, fail), 1, 20_000);
    expect(await queues.redis.xlen(`{errand}:events:${id}`)).toBeLessThan(6_000);
    const lines = await readAll(id, {}, 3_000);
    expect(lines.map(({ n }) => n)).toEqual(numbersTo(20_000));
    expect(lines.every(({ n, line, step }) => line === `line ${n}` && step === n % 2)).toBe(true);
    const { total, firstKept, nextCursor } = await readLogPage(queues, id, { after: 19_998 }, 1);
    expect({ total, firstKept, nextCursor }).toEqual({ total: 20_000, firstKept: 1, nextCursor: '19999' });
    expect(await queues.redis.ttl(`{errand}:log:${id}`)).toBeGreaterThan(0);
  });

  it('A search and a step leave out other lines, and keep the numbers of the lines', async () => {
    const id = newInvocationId();
    await logLines(new EventWriter(queues, id, fail), 1, 7_000);
    const found = await readAll(id, { text: 'LINE 69', step: 1 }, 7);
    const wanted = numbersTo(7_000).filter((n) => n % 2 === 1 && `${n}`.startsWith('69'));
    expect(found.map(({ n }) => n)).toEqual(wanted);
    expect(await readLogPage(queues, id, { after: 0, text: 'nothing' }, 10)).toEqual({
      items: [],
      total: 7_000,
      firstKept: 1,
      nextCursor: null,
    });
  });

  it('A search finds characters that JSON writes in another way', async () => {
    const id = newInvocationId();
    const writer = new EventWriter(queues, id, fail);
    writer.emit({ event: 'log', line: 'a "quoted" \\ path\tÄ', stream: 'node', step: 0 });
    await logLines(writer, 2, 6_000);
    for (const text of ['"QUOTED"', '\\ path', '\tä', 'quoted'])
      expect((await readAll(id, { text })).map(({ n }) => n)).toEqual([1]);
  });

  it('A reader gets each line once, although lines move while it reads', async () => {
    const id = newInvocationId();
    const writer = new EventWriter(queues, id, fail);
    await logLines(writer, 1, 6_000);
    let written = 6_000;
    const seen: number[] = [];
    for await (const lines of readLogLines(queues, id, { after: 0 })) {
      seen.push(...lines.map(({ n }) => n));
      if (written === 14_000) continue;
      await logLines(writer, written + 1, written + 1_000);
      written += 1_000;
    }
    expect(seen).toEqual(numbersTo(14_000));
  });

  it('The oldest lines leave a log above its limit, and the others keep their numbers', async () => {
    const id = newInvocationId();
    const line = { event: 'log', line: 'old', stream: 'node', step: 0, at: '2026-01-01T00:00:00.000Z' };
    const log = `{errand}:log:${id}`;
    for (const n of [1, 2])
      await queues.redis.xadd(log, `${n}-0`, 'lines', JSON.stringify(line), 'bytes', n * 40 * 1_024 * 1_024);
    await logLines(new EventWriter(queues, id, fail), 3, 6_000);
    const page = await readLogPage(queues, id, { after: 0 }, 2);
    expect(page).toMatchObject({
      total: 6_000,
      firstKept: 2,
      items: [
        { n: 2, line: 'old' },
        { n: 3, line: 'line 3' },
      ],
    });
  });

  it('A line of more than 16,384 characters is cut', async () => {
    const id = newInvocationId();
    const writer = new EventWriter(queues, id, fail);
    writer.emit({ event: 'log', line: 'x'.repeat(20_000), stream: 'node', step: 0 });
    await writer.flush();
    const [{ event } = { event: undefined }] = await readEvents(queues, id);
    expect(event).toMatchObject({ line: `${'x'.repeat(16_384)} … [line cut]` });
  });
});
