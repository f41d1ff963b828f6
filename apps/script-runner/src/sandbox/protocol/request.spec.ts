import type { Json, ScriptBundle } from '@errand/contracts';
import { encodeRequest, type Request, type RunRequest } from './request.js';
import { BOUNDS, DEFAULT_LIMITS } from '../limits.js';

type Wish = Partial<Pick<RunRequest, 'input' | 'env'>> & { again?: boolean };

function encode(bundle: Partial<ScriptBundle> = {}, { input = {}, env, again = false }: Wish = {}) {
  const files = [{ path: 'src/main.py', base64: 'cHJpbnQoMSk=' }];
  const whole: ScriptBundle = { language: 'python', entry: 'src/main.py', files, ...bundle };
  return encodeRequest({ bundle: whole, input, invocationId: 'inv_1', limits: DEFAULT_LIMITS, env }, again);
}

/** The parts of a request as a supervisor reads them. Each part gives the length of the next one. */
function take({ bytes }: Request) {
  const headerEnd = 8 + parseInt(bytes.toString('utf8', 0, 8), 16);
  const header = JSON.parse(bytes.toString('utf8', 8, headerEnd));
  const inputEnd = headerEnd + header.inputBytes;
  return { header, stdin: bytes.toString('utf8', headerEnd, inputEnd), secrets: bytes.toString('utf8', inputEnd) };
}

describe('encodeRequest', () => {
  it('A request has a header, the bytes of stdin, and the secrets that only a response may contain', () => {
    const request = encode({}, { input: { text: 'ä\n🎉' } });
    const { header, stdin, secrets } = take(request);
    expect(stdin).toBe('{"text":"ä\\n🎉"}');
    expect(header).toEqual({
      language: 'python',
      entry: 'src/main.py',
      files: [{ path: 'src/main.py', base64: 'cHJpbnQoMSk=' }],
      begin: request.begin,
      inputBytes: Buffer.byteLength(stdin),
      outputBytes: 1_048_576,
      deadlineMs: 62_000,
      cpuMs: 600_000,
      env: expect.objectContaining({
        HOME: '/tmp',
        TMPDIR: '/tmp',
        ERRAND_INVOCATION_ID: 'inv_1',
        ERRAND_OUT: '/tmp/out',
      }),
    });
    expect(secrets).toBe(request.nonce + '0'.repeat(32));
  });

  it('A request to a reusable container has a token, and all secrets are different', () => {
    const request = encode({}, { again: true });
    expect(take(request).secrets).toBe(`${request.nonce}${request.token}`);
    const words = [request, encode({}, { again: true })].flatMap(({ begin, nonce, token }) => [begin, nonce, token]);
    expect(new Set(words).size).toBe(6);
  });

  it('The environment of a request gets new variables and keeps the predefined ones', () => {
    const { env } = take(encode({}, { env: { KEY: 'value', PATH: '/evil' } })).header;
    expect(env).toMatchObject({ KEY: 'value', PATH: '/usr/local/bin:/usr/bin:/bin' });
  });

  it('An input that is too large or too deep is refused', () => {
    let deep: Json = 1;
    for (let i = 0; i < 5_000; i++) deep = [deep];
    const refused = (input: Json, limit: string) =>
      expect(() => encode({}, { input })).toThrow(
        expect.objectContaining({ type: 'ResourceLimitError', details: expect.objectContaining({ limit }) }),
      );
    refused(deep, 'inputDepth');
    refused('x'.repeat(BOUNDS.inputKb * 1024), 'inputKb');
  });

  it.each(['../main.py', '/main.py', 'a/../../b', 'a//b', './a', 'a/', '', 'a\0b'])(
    'A file with the name %j is refused',
    (path) => {
      const files = [{ path, base64: '' }];
      expect(() => encode({ entry: path, files })).toThrow(expect.objectContaining({ type: 'SecurityError' }));
    },
  );

  it('An entry that is not among the files is refused', () => {
    expect(() => encode({ entry: 'main.py' })).toThrow(/'main.py' is not among its 1 files/);
  });
});
