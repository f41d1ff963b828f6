import { ToolError } from '@errand/contracts';
import { toRemoteError } from './remote-error.js';

const context = {
  server: 'far',
  mask: (text: string) => text.replaceAll('hunter2', '***'),
  isSent: true,
  timeoutMs: 500,
};
const withStatus = (status: number) => Object.assign(new Error('http'), { data: { status } });
const coded = (code: number | string, message = 'no') => Object.assign(new Error(message), { code });
const refusedConnection = new ToolError('ServiceError', 'failed', undefined, { cause: coded('ECONNREFUSED') });

describe('The error of an exchange with a server', () => {
  it.each<[string, unknown, object]>([
    ['HTTP 500', withStatus(500), { type: 'ServiceError', outcome: 'unknown' }],
    ['HTTP 503', withStatus(503), { type: 'ServiceError', outcome: 'none', details: { status: 503 } }],
    ['HTTP 401', withStatus(401), { type: 'ServiceError', outcome: 'none', details: { status: 401, tried: 1 } }],
    ['a time-out', coded('REQUEST_TIMEOUT'), { type: 'TimeoutError', outcome: 'unknown' }],
    ['refused arguments', coded(-32602), { type: 'NodeError', outcome: 'none' }],
    ['another error of JSON-RPC', coded(-32603), { type: 'NodeError', outcome: 'unknown' }],
    ['a refused connection', refusedConnection, { type: 'ServiceError', outcome: 'none' }],
    [
      'an address that is not allowed',
      new ToolError('SecurityError', 'no'),
      { type: 'SecurityError', outcome: 'none' },
    ],
    ['a response that is too large', new ToolError('ResourceLimitError', 'no'), { type: 'ResourceLimitError', outcome: 'unknown' }], // prettier-ignore
    ['nonsense', new SyntaxError('Unexpected token'), { type: 'ServiceError', outcome: 'unknown' }],
  ])('The error of %s says its type, and whether the tool can have run', (_what, thrown, expected) => {
    const error = toRemoteError(thrown, context);
    expect(error).toMatchObject(expected);
    expect(error.message).toContain("'far'");
  });

  it('Before the request was sent, the tool cannot have run', () => {
    for (const thrown of [withStatus(500), coded('REQUEST_TIMEOUT'), new Error('x')])
      expect(toRemoteError(thrown, { ...context, isSent: false }).outcome).toBe('none');
  });

  it('A message has no secret and is cut', () => {
    const { message } = toRemoteError(coded(-32603, `hunter2 ${'x'.repeat(10_000)}`), context);
    expect(message).not.toContain('hunter2');
    expect(message.length).toBeLessThan(3_000);
    const details = toRemoteError(new ToolError('SecurityError', 'a', { reason: 'hunter2' }), context).details;
    expect(details).toEqual({ reason: '***' });
  });
});
