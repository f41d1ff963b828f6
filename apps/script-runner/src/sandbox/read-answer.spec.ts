import { AnswerReader } from './read-answer.js';

const NONCE = 'n0nce';
const REPORT = {
  exitCode: 0,
  signal: null,
  timedOut: false,
  overflow: false,
  oomKills: 0,
  refusedForks: 0,
  peakMemoryKb: 9000,
  exception: null,
};

function frame(stdout: string, header: object = {}): string {
  return `${JSON.stringify({ ...REPORT, nonce: NONCE, stdoutBytes: Buffer.byteLength(stdout), ...header })}\n${stdout}`;
}

function read(...chunks: string[]) {
  const reader = new AnswerReader(NONCE, 1024);
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return reader;
}

describe('AnswerReader', () => {
  it('reads greeting and frame wherever they are cut', () => {
    const whole = `ready\n${frame('{"a":\n1}')}`;
    for (let cut = 1; cut < whole.length; cut++) {
      const { answer } = read(whole.slice(0, cut), whole.slice(cut));
      expect({ ...answer, stdout: answer?.stdout.toString() }).toEqual({ report: REPORT, stdout: '{"a":\n1}' });
    }
  });

  it('has no answer before the last byte', () => {
    expect(read('rea').ready).toBe(false);
    expect(read('ready\n').answer).toBeUndefined();
    expect(read('ready\n', frame('[1]').slice(0, -1)).answer).toBeUndefined();
    expect(read('ready\n', frame('')).answer?.stdout).toHaveLength(0);
  });

  it('takes fields of the wrong kind for absent', () => {
    const { answer } = read('ready\n', frame('', { exitCode: 'no', signal: 9, oomKills: 'x', exception: { type: 1 } }));
    expect(answer?.report).toEqual({ ...REPORT, exitCode: null });
  });

  it.each([
    ['another greeting', 'hello!\n'],
    ['a frame without the nonce', `ready\n${frame('1', { nonce: undefined })}`],
    ['no JSON', 'ready\nwhat?\n'],
    ['no object', 'ready\n[]\n'],
    ['no length', `ready\n${frame('1', { stdoutBytes: 'many' })}`],
    ['more than announced', `ready\n${frame('1')}2`],
    ['a second frame', `ready\n${frame('1')}${frame('2')}`],
    ['a header without end', `ready\n${'x'.repeat(66_000)}`],
  ])('trusts no supervisor that writes %s', (_, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ type: 'SecurityError' }));
  });

  it('reports a script that could not be set up', () => {
    const full = frame('', { fault: 'No space left', code: 'ENOSPC' });
    expect(() => read('ready\n', full)).toThrow(expect.objectContaining({ type: 'ResourceLimitError' }));
    const other = frame('', { fault: 'Out of luck' });
    expect(() => read('ready\n', other)).toThrow(
      expect.objectContaining({ type: 'ServiceError', message: expect.stringContaining('luck') }),
    );
  });
});
