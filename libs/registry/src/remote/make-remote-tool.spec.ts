import type { RemoteServer, RemoteTool } from '@errand/contracts';
import { makeRemoteToolOnce } from './make-remote-tool.js';

const SERVER: RemoteServer = { name: 'far', url: 'https://far.example', file: '/lib/mcp.json' };
const make = (listed: Partial<RemoteTool>, server: Partial<RemoteServer> = {}) =>
  makeRemoteToolOnce(
    { name: 'go', inputSchema: { type: 'object' }, ...listed },
    {
      server: { ...SERVER, ...server },
      source: 'mcp.json',
      aliasOf: (id) => id.replace(':', '__'),
      escapeText: (text) => text.replaceAll('<ACTION', String.raw`\u003cACTION`),
    },
  );

describe('The tool of a listing', () => {
  it('A tool has the name of its server, the hints of the listing and no field of the server with a secret', () => {
    expect(make({ title: 'Go', description: 'Goes', readOnly: true }, { headers: { A: 'b' }, tags: ['t'] })).toEqual({
      toolId: 'far:go',
      version: '1.0.0',
      displayName: 'Go',
      description: 'Goes',
      kind: 'mcp',
      parameters: { type: 'object' },
      tags: ['t'],
      aliases: ['far__go'],
      implementation: { type: 'mcp', server: 'far', tool: 'go' },
      effects: 'none',
      source: 'mcp.json',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('The entry decides on effects before the hints, and without both a tool takes effect once', () => {
    expect(make({})).toMatchObject({ effects: 'once' });
    expect(make({ idempotent: true })).toMatchObject({ effects: 'idempotent' });
    expect(make({ readOnly: true }, { effects: { 'g*': 'once', go: 'none' } })).toMatchObject({ effects: 'once' });
  });

  it('Words are escaped at every depth of a schema, and names and values stay', () => {
    const schema = { type: 'string', description: '<ACTION>', enum: ['a'] };
    const made = make({
      description: '<ACTION>',
      inputSchema: { type: 'object', properties: { a: { type: 'array', items: schema } } },
      outputSchema: { type: 'object', properties: { b: schema } },
    });
    expect(JSON.stringify(made)).not.toContain('<ACTION');
    expect(made).toMatchObject({ parameters: { properties: { a: { items: { enum: ['a'] } } } } });
  });

  it.each<[string, Partial<RemoteTool>, RegExp]>([
    ['an invalid name', { name: 'a b' }, /its name/],
    [
      'a marker as the name of a property',
      { inputSchema: { properties: { '<ACTION>': {} } } },
      /could be read as a call/,
    ],
    ['a marker as a value', { inputSchema: { properties: { a: { enum: ['<ACTION>'] } } } }, /could be read as a call/],
    ['a line break in a name', { inputSchema: { properties: { 'a\n## b': {} } } }, /could be read as a call/],
    ['parameters of another type', { inputSchema: { type: 'string' } }, /not 'object'/],
    ['a schema that does not compile', { inputSchema: { properties: { a: { pattern: '(' } } } }, /cannot be used/],
    ['a reference to another place', { outputSchema: { $ref: 'https://x.example/s' } }, /cannot be used/],
  ])('A tool with %s is left out with the reason', (_what, listed, reason) => {
    expect(make(listed)).toMatch(reason);
  });

  it('The same listing gives the same tool until the entry of its server changes', () => {
    const listed: RemoteTool = { name: 'go', inputSchema: { type: 'object' } };
    const origin = {
      server: SERVER,
      source: 'mcp.json',
      aliasOf: (id: string) => id,
      escapeText: (text: string) => text,
    };
    const first = makeRemoteToolOnce(listed, origin);
    expect(makeRemoteToolOnce(listed, origin)).toBe(first);
    const tagged = { ...origin, server: { ...SERVER, tags: ['new'] } };
    expect(makeRemoteToolOnce(listed, tagged)).not.toBe(first);
  });
});
