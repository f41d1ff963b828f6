import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mergeByTime } from './log-record.js';
import { LONGEST_LINE, readLogEnd } from './read-log-end.js';

const ID = 'inv_01m832n1rk0006qaqqzfgsbsr7k5ncb570vs8cr';

describe('The end of a log file', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'errand-log-'));
    path = join(folder, 'errand.log');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const line = (second: number, more: object = {}) =>
    `${JSON.stringify({ level: 'info', time: new Date(second * 1_000).toISOString(), ...more })}\n`;
  const texts = (count: number, filter = {}, wholeLines = false) =>
    readLogEnd(path, count, filter, wholeLines).records.map(({ text }) => text);

  it('The last lines are returned in their order, whatever the size of the file is', () => {
    writeFileSync(path, Array.from({ length: 50_000 }, (_, n) => line(n + 1, { n })).join(''));
    expect(texts(3).map((text) => (JSON.parse(text) as { n: number }).n)).toEqual([49_997, 49_998, 49_999]);
    expect(texts(100_000)).toHaveLength(50_000);
    expect(texts(0)).toEqual([]);
  });

  it('Empty files and empty lines have no records', () => {
    writeFileSync(path, '');
    expect(texts(5)).toEqual([]);
    writeFileSync(path, '\n\n\na\n\n');
    expect(texts(5)).toEqual(['a']);
  });

  it('A line of 10 MB is read as a whole', () => {
    writeFileSync(path, `a\n${line(1, { msg: 'x'.repeat(10_000_000) })}b\n`);
    const { records } = readLogEnd(path, 2, {}, false);
    expect(records[0]?.fields?.['msg']).toHaveLength(10_000_000);
    expect(records[1]?.text).toBe('b');
  });

  it('A line above the limit is cut, and its length is known', () => {
    writeFileSync(path, `${'x'.repeat(LONGEST_LINE + 10)}\nb\n`);
    const [cut] = readLogEnd(path, 2, {}, false).records;
    expect(cut).toMatchObject({ totalBytes: LONGEST_LINE + 10 });
    expect(cut?.text).toHaveLength(LONGEST_LINE);
  });

  it('An unfinished line is shown, or left to the reader that follows', () => {
    writeFileSync(path, 'a\nb');
    expect(texts(5)).toEqual(['a', 'b']);
    expect(readLogEnd(path, 5, {}, true)).toMatchObject({ records: [{ text: 'a' }], position: 2 });
    writeFileSync(path, 'b');
    expect(readLogEnd(path, 5, {}, true)).toMatchObject({ records: [], position: 0 });
  });

  it('A line without a time stands after the line before it when files are merged', () => {
    writeFileSync(path, `before\n${line(1)}crash\n    at a.js\n${line(3)}`);
    const other = join(folder, 'worker.log');
    writeFileSync(other, line(2) + line(4));
    const all = mergeByTime([path, other].flatMap((file) => readLogEnd(file, 10, {}, false).records));
    expect(all.map(({ time, text }) => (text.startsWith('{') ? time / 1_000 : text))).toEqual([
      'before',
      1,
      'crash',
      '    at a.js',
      2,
      3,
      4,
    ]);
  });

  it('A level selects the lines of this level and above, and lines without a level', () => {
    for (const level of ['debug', 'info', 'warn', 'fatal']) appendFileSync(path, line(1, { level }));
    appendFileSync(path, 'crash\n');
    expect(texts(9, { level: 'warn' }).map((text) => /"level":"(\w+)"/.exec(text)?.[1])).toEqual([
      'warn',
      'fatal',
      undefined,
    ]);
  });

  it('An id selects the lines that contain it as a whole', () => {
    writeFileSync(path, line(1, { invocationId: ID }) + line(2, { invocationId: `${ID}x` }) + `of ${ID}: crash\n`);
    expect(texts(9, { id: ID })).toEqual([expect.stringContaining(`"${ID}"`), `of ${ID}: crash`]);
  });
});
