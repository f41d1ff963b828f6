import { appendFileSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../../test/support/eventually.js';
import { followLogs } from './follow-logs.js';

describe('The reader that follows log files', () => {
  let folder: string;
  let ending: AbortController;
  let done: Promise<void>;
  let seen: string[];
  let notices: string[];
  const file = (name = 'errand.log') => join(folder, name);
  const add = (text: string, name?: string) => appendFileSync(file(name), text);
  const record = (second: number) => JSON.stringify({ time: new Date(second * 1_000).toISOString() });

  function follow(positions = new Map<string, number>()): void {
    const listFiles = () =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.log'))
        .map((name) => file(name));
    const onNotice = (text: string) => notices.push(text);
    done = (async () => {
      for await (const records of followLogs(positions, { filter: {}, listFiles, onNotice, signal: ending.signal }))
        seen.push(...records.map(({ text }) => text));
    })();
  }

  const sees = (...texts: string[]) =>
    eventually(() => seen.length >= texts.length, `${texts.length} lines`).then(() => expect(seen).toEqual(texts));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'errand-follow-'));
    ending = new AbortController();
    seen = [];
    notices = [];
    writeFileSync(file(), '');
  });
  afterEach(async () => {
    ending.abort();
    await done;
    rmSync(folder, { recursive: true });
  });

  it('A line is shown when it is complete', async () => {
    add('old\nb');
    follow(new Map([[file(), 4]]));
    add('egin');
    add('ning\nnext\n');
    await sees('beginning', 'next');
  });

  it('A rotated file is read to its end, and its successor from the beginning', async () => {
    follow();
    add('1\n');
    await sees('1');
    renameSync(file(), file('errand.log.1'));
    add('2\n', 'errand.log.1');
    writeFileSync(file(), '3\n');
    await sees('1', '2', '3');
    add('late\n', 'errand.log.1');
    await sees('1', '2', '3', 'late');
    add('4\n');
    await sees('1', '2', '3', 'late', '4');
    expect(notices).toEqual([expect.stringContaining('was rotated')]);
  });

  it('A truncated file is read from its beginning', async () => {
    follow();
    add('a long line\n');
    await sees('a long line');
    truncateSync(file(), 0);
    await eventually(() => notices.length > 0, 'the reader sees the truncation');
    add('new\n');
    await sees('a long line', 'new');
    expect(notices).toEqual(['errand.log was truncated']);
  });

  it('The log of a process that starts later is merged by time', async () => {
    follow();
    add(`${record(1)}\n`);
    await sees(record(1));
    writeFileSync(file('worker.log'), `${record(2)}\n${record(3)}\n`);
    await sees(record(1), record(2), record(3));
  });

  it('A removed file is followed again when it is back', async () => {
    follow();
    add('1\n');
    await sees('1');
    rmSync(file());
    writeFileSync(file(), '2\n');
    await sees('1', '2');
  });

  it('A line of 10 MB is one line', async () => {
    follow();
    add(`${'x'.repeat(10_000_000)}\nnext\n`);
    await eventually(() => seen.length === 2, 'both lines');
    expect([seen[0]?.length, seen[1]]).toEqual([10_000_000, 'next']);
  });
});
