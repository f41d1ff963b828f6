import { AnswerReader } from './read-answer.js';

const NONCE = 'n0nce';
const TOKEN = 't0ken';
const REPORT = {
  exitCode: 0,
  signal: null,
  timedOut: false,
  cpuExceeded: false,
  forksExceeded: false,
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
  return readWith(undefined, ...chunks);
}

function readWith(token: string | undefined, ...chunks: string[]) {
  const reader = new AnswerReader({ nonce: NONCE, token }, 1024);
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return reader;
}

describe('AnswerReader', () => {
  it('reads frame and greeting wherever they are cut', () => {
    const printed = `{"a":\n${'1'.repeat(99)}}`;
    const whole = `${frame(printed)}ready ${TOKEN}\n`;
    for (let cut = 1; cut < whole.length; cut++) {
      const { answer, again } = readWith(TOKEN, whole.slice(0, cut), whole.slice(cut));
      expect({ ...answer, stdout: answer?.stdout.toString(), again }).toEqual({
        report: REPORT,
        stdout: printed,
        again: true,
      });
    }
  });

  it('has no answer before the last byte, and is not ready again before the last of the greeting', () => {
    expect(read(frame('[1]').slice(0, -1)).answer).toBeUndefined();
    expect(read(frame('')).answer?.stdout).toHaveLength(0);
    expect(readWith(TOKEN, frame('1'), `ready ${TOKEN}`)).toMatchObject({ again: false });
  });

  it('takes fields of the wrong kind for absent', () => {
    const { answer } = read(frame('', { exitCode: 'no', signal: 9, oomKills: 'x', exception: { type: 1 } }));
    expect(answer?.report).toEqual({ ...REPORT, exitCode: null });
  });

  it.each([
    ['a frame without the nonce', frame('1', { nonce: undefined })],
    ['no JSON', 'what?\n'],
    ['no object', '[]\n'],
    ['no length', frame('1', { stdoutBytes: 'many' })],
    ['more than announced', `${frame('1')}2`],
    ['a second frame', `${frame('1')}${frame('2')}`],
    ['a header without end', 'x'.repeat(66_000)],
  ])('trusts no supervisor that writes %s', (_, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ type: 'SecurityError' }));
  });

  it.each([
    ['a greeting that nobody asked for', undefined, 'ready\n'],
    ['a greeting without the token', TOKEN, 'ready\n'],
    ['the token of another run', TOKEN, 'ready t1ken\n'],
    ['more after the greeting', TOKEN, `ready ${TOKEN}\n1`],
  ])('takes no container back after %s', (_, token, text) => {
    expect(() => readWith(token, frame('1'), text)).toThrow(expect.objectContaining({ type: 'SecurityError' }));
  });

  it('reports a script that could not be set up', () => {
    const full = frame('', { fault: 'No space left', code: 'ENOSPC' });
    expect(() => read(full)).toThrow(expect.objectContaining({ type: 'ResourceLimitError' }));
    const other = frame('', { fault: 'Out of luck' });
    expect(() => read(other)).toThrow(
      expect.objectContaining({ type: 'ServiceError', message: expect.stringContaining('luck') }),
    );
  });
});
