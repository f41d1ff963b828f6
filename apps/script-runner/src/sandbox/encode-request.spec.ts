import type { ScriptBundle } from '@errand/contracts';
import { encodeRequest } from './encode-request.js';
import { DEFAULT_LIMITS } from './limits.js';

function encode(bundle: Partial<ScriptBundle> = {}, input: Parameters<typeof encodeRequest>[0]['input'] = {}) {
  const files = [{ path: 'src/main.py', base64: 'cHJpbnQoMSk=' }];
  const whole: ScriptBundle = { language: 'python', entry: 'src/main.py', files, ...bundle };
  return encodeRequest({ bundle: whole, input, invocationId: 'inv_1', limits: DEFAULT_LIMITS, nonce: 'n' });
}

describe('encodeRequest', () => {
  it('is a line of JSON and the exact bytes of stdin', () => {
    const request = encode({}, { text: 'ä\n🎉' });
    const end = request.indexOf('\n');
    const stdin = '{"text":"ä\\n🎉"}';
    expect(request.subarray(end + 1).toString()).toBe(stdin);
    expect(JSON.parse(request.subarray(0, end).toString())).toMatchObject({
      nonce: 'n',
      language: 'python',
      entry: 'src/main.py',
      files: [{ path: 'src/main.py', base64: 'cHJpbnQoMSk=' }],
      inputBytes: Buffer.byteLength(stdin),
      outputBytes: 1_048_576,
      deadlineMs: 62_000,
      env: { HOME: '/tmp', TMPDIR: '/tmp', ERRAND_INVOCATION_ID: 'inv_1', ERRAND_OUT: '/tmp/out' },
    });
  });

  it.each(['../main.py', '/main.py', 'a/../../b', 'a//b', './a', 'a/', '', 'a\0b'])(
    'refuses a file named %j',
    (path) => {
      const files = [{ path, base64: '' }];
      expect(() => encode({ entry: path, files })).toThrow(expect.objectContaining({ type: 'SecurityError' }));
    },
  );

  it('refuses an entry that is not there', () => {
    expect(() => encode({ entry: 'main.py' })).toThrow(/'main.py' is not among its 1 files/);
  });
});
