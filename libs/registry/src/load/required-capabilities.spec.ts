import { load, toolFile } from '../../test/write-library.js';

const withContext = (securityContext: unknown) => load({ 'tools/a.tool.json': toolFile({ securityContext }) });
const ALL = { allowHosts: ['*'] };

it.each<[what: string, context: object, expected: object]>([
  ['network', { requiredCapabilities: ['network'] }, { networkAccess: ALL }],
  ['network in other spellings', { requiredCapabilities: ['NETWORK_ACCESS', 'net'] }, { networkAccess: ALL }],
  [
    'network, with the hosts',
    { requiredCapabilities: ['network'], networkAccess: { allowHosts: ['api.example'] } },
    { networkAccess: { allowHosts: ['api.example'] } },
  ],
  [
    'network, with no hosts at all',
    { requiredCapabilities: ['network'], networkAccess: { allowHosts: [] } },
    { networkAccess: { allowHosts: [] } },
  ],
  ['reading files', { requiredCapabilities: ['fileRead'] }, { fileAccess: { allowRead: ['*'] } }],
  ['writing files', { requiredCapabilities: ['fs:write'] }, { fileAccess: { allowWrite: ['*'] } }],
  [
    'files, with the folders to read',
    { requiredCapabilities: ['file_access'], fileAccess: { allowRead: ['reports'] } },
    { fileAccess: { allowRead: ['reports'], allowWrite: ['*'] } },
  ],
  ['none', { requiredCapabilities: [], secrets: ['KEY'] }, { secrets: ['KEY'] }],
  [
    'several',
    { requiredCapabilities: ['network', 'file-read'] },
    { networkAccess: ALL, fileAccess: { allowRead: ['*'] } },
  ],
])('Required capabilities grant access correctly: %s', async (_what, context, expected) => {
  const registry = await withContext(context);
  expect(registry.problems()).toEqual([]);
  expect(registry.find('kb:search')?.securityContext).toEqual(expected);
});

it('A tool of a plugin may require capabilities', async () => {
  const registry = await load({
    'plugins/p/plugin.yaml':
      'name: p\nversion: 1.0.0\ntools: [{id: p:a, description: d, implementation: {type: external}, securityContext: {requiredCapabilities: [network, netwrk]}}]',
  });
  expect(registry.problems()).toMatchObject([
    { field: 'tools[0].securityContext.requiredCapabilities[1]', suggestion: 'network' },
  ]);
});

it.each(['gpu', 'constructor', '__proto__', '', 'netwok'])(
  'The unknown capability %j is a problem that lists the known ones',
  async (name) => {
    const registry = await withContext({ requiredCapabilities: ['network', name] });
    expect(registry.find('kb:search')).toBeUndefined();
    expect(registry.problems()).toMatchObject([
      {
        field: 'securityContext.requiredCapabilities[1]',
        line: expect.any(Number),
        message: expect.stringMatching(
          new RegExp(`The capability '${name}' is not known; the known ones are network, .*file-read, file-write`),
        ),
      },
    ]);
  },
);

it.each([5, 'network', [5], [['network']], null])(
  'The capabilities %j are reported as a problem',
  async (requiredCapabilities) => {
    const registry = await withContext({ requiredCapabilities });
    expect(registry.problems()).toMatchObject([
      { field: expect.stringMatching(/^securityContext.requiredCapabilities/) },
    ]);
  },
);
