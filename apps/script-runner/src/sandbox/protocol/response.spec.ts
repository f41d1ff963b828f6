import { ResponseReader } from './response.js';

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
  const reader = new ResponseReader({ nonce: NONCE, token }, 1024);
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return reader;
}

describe('AnswerReader', () => {
  it('The response and the ready message are read from chunks of any size', () => {
    const printed = `{"a":\n${'1'.repeat(99)}}`;
    const whole = `${frame(printed)}ready ${TOKEN}\n`;
    for (let cut = 1; cut < whole.length; cut++) {
      const { response, again } = readWith(TOKEN, whole.slice(0, cut), whole.slice(cut));
      expect({ ...response, stdout: response?.stdout.toString(), again }).toEqual({
        report: REPORT,
        stdout: printed,
        again: true,
      });
    }
  });

  it('The response is missing before its last byte, and again is false before the end of the ready message', () => {
    expect(read(frame('[1]').slice(0, -1)).response).toBeUndefined();
    expect(read(frame('')).response?.stdout).toHaveLength(0);
    expect(readWith(TOKEN, frame('1'), `ready ${TOKEN}`)).toMatchObject({ again: false });
  });

  it('Fields of the wrong type count as missing', () => {
    const { response } = read(frame('', { exitCode: 'no', signal: 9, oomKills: 'x', exception: { type: 1 } }));
    expect(response?.report).toEqual({ ...REPORT, exitCode: null });
  });

  it.each([
    ['a frame without the nonce', frame('1', { nonce: undefined })],
    ['a line that is not JSON', 'what?\n'],
    ['a line that is not an object', '[]\n'],
    ['a frame without a length', frame('1', { stdoutBytes: 'many' })],
    ['more bytes than announced', `${frame('1')}2`],
    ['a second frame', `${frame('1')}${frame('2')}`],
    ['an endless header', 'x'.repeat(66_000)],
  ])('A supervisor that writes %s is refused with SecurityError', (_, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ type: 'SecurityError' }));
  });

  it.each([
    ['an unexpected ready message', undefined, 'ready\n'],
    ['a ready message without the token', TOKEN, 'ready\n'],
    ['the token of another run', TOKEN, 'ready t1ken\n'],
    ['more bytes after the ready message', TOKEN, `ready ${TOKEN}\n1`],
  ])('A container is not reused after %s', (_, token, text) => {
    expect(() => readWith(token, frame('1'), text)).toThrow(expect.objectContaining({ type: 'SecurityError' }));
  });

  it('A script that could not be set up is reported with the cause', () => {
    const full = frame('', { fault: 'No space left', code: 'ENOSPC' });
    expect(() => read(full)).toThrow(expect.objectContaining({ type: 'ResourceLimitError' }));
    const other = frame('', { fault: 'Out of luck' });
    expect(() => read(other)).toThrow(
      expect.objectContaining({ type: 'ServiceError', message: expect.stringContaining('luck') }),
    );
  });
});
