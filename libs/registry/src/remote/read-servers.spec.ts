import { parseSource } from '../files/parse-source.js';
import type { LibraryProblem } from '../files/library-problem.js';
import { readServers } from './read-servers.js';

/** The servers and problems of an `mcp.json`. */
function read(value: unknown) {
  const source = parseSource('/lib/mcp.json', JSON.stringify(value, null, 2));
  if ('message' in source) throw new Error(source.message);
  const problems: LibraryProblem[] = [];
  const made = readServers(source, (problem) => problems.push(problem));
  return { servers: made?.content.servers, problems };
}

const URL = 'https://far.example/mcp';

describe('An mcp.json', () => {
  it('Servers have the fields that clients write and those of Errand, and a disabled one is left out', () => {
    const entry = { type: 'http', url: URL, headers: { A: '${B}' }, tools: ['a*'], timeoutMs: 500, tags: ['t'] };
    const { servers, problems } = read({ mcpServers: { far: entry, off: { url: URL, disabled: true }, cmd: { command: 'x' } } }); // prettier-ignore
    const { type: _type, ...kept } = entry;
    expect(servers).toEqual([
      { ...kept, name: 'far', file: '/lib/mcp.json' },
      { command: 'x', name: 'cmd', file: '/lib/mcp.json' },
    ]);
    expect(problems).toEqual([]);
  });

  it.each<[string, object, object]>([
    ['a misspelt field', { uri: URL }, { field: 'mcpServers.s.uri', suggestion: 'url', line: 4 }],
    [
      'no target',
      { tags: [] },
      { field: 'mcpServers.s', message: expect.stringContaining('needs a url or a command') },
    ],
    ['two targets', { url: URL, command: 'x' }, { message: expect.stringContaining('remove one of them') }],
    ['a wrong type', { url: URL, type: 'stdio' }, { field: 'mcpServers.s.type' }],
    ['an unknown type', { url: URL, type: 'sse' }, { message: expect.stringContaining('must be one of') }],
    ['an invalid address', { url: 'far' }, { message: expect.stringContaining('https://mcp.example.com/mcp') }],
    ['a user name in the address', { url: 'https://u:p@far.example' }, { message: expect.stringContaining('header') }],
    ['a secret in the address', { url: 'https://far.example/${KEY}' }, { message: expect.stringContaining('headers or env') }], // prettier-ignore
    ['env without a command', { url: URL, env: { A: 'b' } }, { field: 'mcpServers.s.env' }],
    ['an unknown effect', { url: URL, effects: { x: 'idempotnt' } }, { suggestion: 'idempotent' }],
    ['a wrong time limit', { url: URL, timeoutMs: 1 }, { field: 'mcpServers.s.timeoutMs' }],
  ])('A server with %s is a problem with its place, and the others stay', (_what, entry, expected) => {
    const { servers, problems } = read({ mcpServers: { s: entry, good: { url: URL } } });
    expect(servers).toEqual([{ url: URL, name: 'good', file: '/lib/mcp.json' }]);
    expect(problems).toContainEqual(expect.objectContaining(expected));
  });

  it.each(['core', 'workflow', 'agent', 'a b', '__proto__x:', 'x'.repeat(65)])(
    'A server cannot be called %j',
    (name) => {
      const { servers, problems } = read({ mcpServers: { [name]: { url: URL } } });
      expect(servers).toEqual([]);
      expect(problems).toHaveLength(1);
    },
  );

  it('No problem shows a value of headers, env, args or an address', () => {
    const secret = 'very-secret-value';
    const wrong = {
      url: `gopher://${secret}`,
      headers: { A: [secret] },
      env: secret,
      args: [5, secret],
      header: secret,
    };
    for (const value of [
      { mcpServers: { s: wrong } },
      { mcpServers: secret },
      { mcpServers: { s: secret } },
      { x: secret },
    ])
      expect(JSON.stringify(read(value).problems)).not.toContain(secret);
  });
});
