import { ToolError } from '@errand/contracts';
import { hintOf } from '@errand/platform';
import { explainNoNetwork } from './outcome.js';

const failure = (message: string) => new ToolError('ScriptError', message, { exitCode: 1 });

describe('explainNoNetwork', () => {
  it.each([
    'gaierror: [Errno -3] Temporary failure in name resolution',
    'gaierror: [Errno -2] Name or service not known',
    '<urlopen error [Errno 111] Connection refused>',
    '[Errno 101] Network is unreachable',
    '[Errno 113] No route to host',
    '[Errno 99] Cannot assign requested address',
    "HTTPSConnectionPool(host='api.example', port=443): Max retries exceeded with url: / (Caused by NewConnectionError('<...>: Failed to establish a new connection: [Errno -3]'))",
    'httpx.ConnectError: All connection attempts failed',
    'Cannot connect to host api.example:443 ssl:default [Temporary failure in name resolution]',
    'Unable to connect. Is the computer able to access the url?',
    'getaddrinfo ENOTFOUND api.example',
    'getaddrinfo EAI_AGAIN api.example',
    'connect ECONNREFUSED 10.0.0.1:80',
    'connect ENETUNREACH 10.0.0.1:80',
    'fetch failed',
    'curl: (6) Could not resolve host: api.example',
    'curl: (7) Failed to connect to 10.0.0.1 port 80',
    'wget: unable to resolve host address',
  ])('The failure %j gets a note about the missing network access and keeps its type and details', (said) => {
    const error = explainNoNetwork(failure('it failed\n'), [said]);
    expect(error.toFailure()).toEqual({
      type: 'ScriptError',
      message: 'it failed; this tool has no network access',
      details: { exitCode: 1 },
    });
    expect(hintOf(error)).toMatch(/securityContext\.networkAccess.*ERRAND_EGRESS_ALLOW/);
  });

  it.each(["KeyError: 'network'", 'division by zero', 'ENOENT: no such file', 'the host said no'])(
    'The failure %j is not changed',
    (said) => {
      const error = failure('it failed');
      expect(explainNoNetwork(error, [said])).toBe(error);
    },
  );
});
