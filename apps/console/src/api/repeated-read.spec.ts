import { RepeatedRead } from './repeated-read.js';

interface StartedRead {
  signal: AbortSignal;
  answer: (data: string) => Promise<unknown>;
  fail: (error: Error) => Promise<unknown>;
}

/** Reads whose answers the test gives, and what a page hears of them. */
function startReads() {
  const started: StartedRead[] = [];
  const heard: string[] = [];
  const load = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      const settled = () => jest.advanceTimersByTimeAsync(0);
      started.push({
        signal,
        answer: (data) => (resolve(data), settled()),
        fail: (error) => (reject(error), settled()),
      });
    });
  const reads = new RepeatedRead<string>(load, {
    onBegin: () => heard.push('begin'),
    onData: (data) => heard.push(data),
    onError: (error) => heard.push(String(error)),
  });
  return { reads, started, heard };
}

describe('The reads of one thing', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('Reloads do not abort the read that is under way, and one more read follows for all of them', async () => {
    const { reads, started, heard } = startReads();
    for (let times = 0; times < 5; times++) reads.reload();
    expect(started).toHaveLength(1);
    await started[0]!.answer('old');
    expect(started[0]!.signal.aborted).toBe(false);
    expect(heard).toEqual(['begin', 'old', 'begin']);
    await started[1]!.answer('new');
    expect(heard).toEqual(['begin', 'old', 'begin', 'new']);
    expect(started).toHaveLength(2);
  });

  it('A wanted read begins after a failed one, too', async () => {
    const { reads, started, heard } = startReads();
    reads.reload();
    reads.reload();
    await started[0]!.fail(new Error('away'));
    await started[1]!.answer('back');
    expect(heard).toEqual(['begin', 'Error: away', 'begin', 'back']);
    expect(started).toHaveLength(2);
  });

  it('A change that is known during a read is applied to its answer, and not to that of the next read', async () => {
    const { reads, started, heard } = startReads();
    reads.reload();
    reads.noteChange((data) => `${data} changed`);
    reads.reload();
    await started[0]!.answer('old');
    await started[1]!.answer('new');
    expect(heard).toEqual(['begin', 'old changed', 'begin', 'new']);
  });

  it('Several gaps are caught up by one read', async () => {
    const { reads, started } = startReads();
    reads.reload();
    await started[0]!.answer('old');
    for (let times = 0; times < 3; times++) reads.catchUp();
    expect(started).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(started).toHaveLength(2);
  });

  it('A read that the page begins after a gap is the catch-up', async () => {
    const { reads, started } = startReads();
    reads.reload();
    await started[0]!.answer('old');
    reads.catchUp();
    await jest.advanceTimersByTimeAsync(500);
    reads.reload();
    await started[1]!.answer('new');
    await jest.advanceTimersByTimeAsync(10_000);
    expect(started).toHaveLength(2);
  });

  it('A catch-up replaces a read that hangs since before the gap, and its late answer does not count', async () => {
    const { reads, started, heard } = startReads();
    reads.reload();
    reads.catchUp();
    reads.reload();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(started.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    await started[0]!.answer('late');
    await started[1]!.answer('new');
    expect(heard).toEqual(['begin', 'begin', 'new']);
    expect(started).toHaveLength(2);
  });

  it('A read that hangs for minutes does not keep the next one away', async () => {
    const { reads, started } = startReads();
    reads.reload();
    await jest.advanceTimersByTimeAsync(180_000);
    reads.reload();
    expect(started.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  });

  it('Closed reads begin no read, and an answer that comes late does not count', async () => {
    const { reads, started, heard } = startReads();
    reads.reload();
    reads.reload();
    reads.catchUp();
    reads.close();
    expect(started[0]!.signal.aborted).toBe(true);
    await started[0]!.answer('late');
    reads.reload();
    reads.catchUp();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(started).toHaveLength(1);
    expect(heard).toEqual(['begin']);
  });
});
