import { BOUNDS } from '../limits.js';
import { LogReader } from './stderr.js';

const NONCE = 'n0nce';
const BEGIN = 'b3gin';

function read(chunks: (string | Buffer)[], before = `\n${BEGIN}\n`) {
  const lines: string[] = [];
  const progress: [number, string | undefined][] = [];
  const log = new LogReader(
    { begin: BEGIN, nonce: NONCE },
    {
      onLog: (batch) => lines.push(...batch),
      onProgress: (value, message) => progress.push([value, message]),
    },
  );
  for (const chunk of [before, ...chunks]) log.push(Buffer.from(chunk));
  const { ended } = log;
  log.finish();
  return { lines, progress, ended, tail: log.tail };
}

describe('LogReader', () => {
  it('Lines are split from chunks of any size', () => {
    expect(read(['one\ntw', 'o\n\nGr', Buffer.from([0xc3]), Buffer.from([0xbc]), 'ße']).lines).toEqual([
      'one',
      'two',
      '',
      'Grüße',
    ]);
  });

  it('The log begins after the begin mark, and earlier lines do not belong to the run', () => {
    expect(read(['mine\n'], `of a daemon\nunfinished\n${BEGIN}\n`).lines).toEqual(['mine']);
    expect(read(['lost\n'], '').lines).toEqual([]);
  });

  it('The log ends at the end mark, without the empty line before it', () => {
    expect(read(['last\n', `\n${NONCE}\n`, 'of a daemon\n'])).toMatchObject({ lines: ['last'], ended: true });
    expect(read([`unfinished\n${NONCE}\n`])).toMatchObject({ lines: ['unfinished'], ended: true });
    expect(read([`blank\n\n\n${NONCE}\n`])).toMatchObject({ lines: ['blank', ''], ended: true });
    expect(read([`not ${NONCE}\n`])).toMatchObject({ lines: [`not ${NONCE}`], ended: false });
  });

  it('Progress lines are taken out of the log, and the last one of a batch is reported between 0 and 1', () => {
    expect(read(['::progress 0.2\n::progress .5 half way\n', '::progress 7\n', '::progress soon\n'])).toMatchObject({
      progress: [
        [0.5, 'half way'],
        [1, undefined],
      ],
      lines: ['::progress soon'],
    });
  });

  it('Lines of digits take linear time', () => {
    for (const digits of ['1', '.1', '1e', '0'])
      expect(read([`::progress ${digits.repeat(8_000 / digits.length)}x\n`.repeat(200)]).progress).toEqual([]);
  });

  it('Progress is read in the number formats of both languages and with any line end', () => {
    expect(read(['::progress 1e-05 begun\n', '::progress 0.5\r\n', '::progress 0.75 most of it\r\n'])).toMatchObject({
      progress: [
        [0.00001, 'begun'],
        [0.5, undefined],
        [0.75, 'most of it'],
      ],
      lines: [],
    });
  });

  it('Control characters are kept and invalid UTF-8 is replaced', () => {
    expect(read([Buffer.from('\u001b[31mred\u0000\xff\n', 'latin1')]).lines).toEqual(['\u001b[31mred\u0000\ufffd']);
  });

  it('A long line is cut, even if it does not end', () => {
    const cut = `${'x'.repeat(BOUNDS.logLineBytes)} … [line cut]`;
    expect(read(['x'.repeat(5000), 'x'.repeat(5000), '\nnext\n']).lines).toEqual([cut, 'next']);
    expect(read(['x'.repeat(100_000)]).lines).toEqual([cut]);
  });

  it('The log keeps the first 64 KiB, counts dropped lines, and keeps the last lines for errors', () => {
    const { lines, tail } = read(Array.from({ length: 10_000 }, (_, i) => `line ${i} ${'x'.repeat(90)}\n`));
    const dropped = 10_000 - (lines.length - 1);
    expect(lines.at(-1)).toBe(`[errand] ${dropped} further log lines dropped: only 64 KiB are kept`);
    expect(tail).toHaveLength(BOUNDS.tailLines);
    expect(tail.at(-1)).toMatch(/^line 9999 /);
  });

  it('A flood of bytes or lines is refused', () => {
    const flood = expect.objectContaining({ type: 'ResourceLimitError' });
    expect(() => read(['x'.repeat(BOUNDS.logFloodBytes + 1)])).toThrow(flood);
    expect(() => read(['\n'.repeat(BOUNDS.logFloodLines + 1)])).toThrow(flood);
  });
});
