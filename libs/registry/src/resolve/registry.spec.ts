import { load, loadFolders, toolFile, writeLibrary } from '../../test/write-library.js';
import type { Registry } from './registry.js';

const version = (number: string, over: object = {}) => toolFile({ version: number, displayName: number, ...over });
let registry: Registry;

beforeAll(async () => {
  const folder = writeLibrary({
    'tools/1.tool.json': version('1.2.0', { aliases: ['search_kb'], tags: ['find', 'text'] }),
    'tools/2.tool.json': version('1.10.0', { aliases: ['search_kb'], tags: ['find'] }),
    'tools/3.tool.json': version('2.0.0-beta.1'),
    'tools/4.tool.json': version('0.1.0-alpha', { toolId: 'kb:draft', description: 'Drafts an article' }),
    'agents/reader.json': { id: 'reader', tool_ids_inventory: ['kb:*', 'core:echo'] },
    'agents/nobody.json': { id: 'nobody', tool_ids_inventory: [] },
  });
  registry = await loadFolders([folder], { aliasOf: (toolId) => toolId.replace(':', '__') });
});

describe('Registry.find', () => {
  it.each([
    ['kb:search', '1.10.0'],
    ['kb:search@1.2.0', '1.2.0'],
    ['kb:search@^1', '1.10.0'],
    ['kb:search@~1.2', '1.2.0'],
    ['kb:search@>=2.0.0-beta', '2.0.0-beta.1'],
    ['search_kb', '1.10.0'],
    ['kb__search@^1.0.0', '1.10.0'],
    ['kb:draft', '0.1.0-alpha'],
  ])('The name %s finds version %s', (name, expected) => {
    expect(registry.find(name)!.version).toBe(expected);
  });

  it.each(['kb:search@^3', 'kb:search@none', 'kb:search@', 'kb:sear', '', '@', 'constructor', '__proto__'])(
    'The name %j finds no tool',
    (name) => {
      expect(registry.find(name)).toBeUndefined();
    },
  );
});

test('An alias that two tools claim finds neither of them and never hides an id', async () => {
  const claimed = await load({
    'tools/a.tool.json': toolFile({ toolId: 'a:x', aliases: ['x', 'b:x'] }),
    'tools/b.tool.json': toolFile({ toolId: 'b:x', aliases: ['x'] }),
  });
  expect(claimed.find('x')).toBeUndefined();
  expect(claimed.find('b:x')!.toolId).toBe('b:x');
});

describe('Registry.suggest', () => {
  it.each([
    ['kb:serach', 'kb:search'],
    ['search', 'kb:search'],
    ['KB:Search', 'kb:search'],
    ['kb:search@^3', 'kb:search@1.10.0'],
    ['get_current_time', 'system:get_current_time'],
    ['something else entirely', undefined],
  ])('The suggestion for %s is %s', (name, expected) => {
    expect(registry.suggest(name)).toBe(expected);
  });
});

describe('An agent', () => {
  const view = { agent: 'reader' };

  it('An agent sees only its inventory', () => {
    expect(registry.list(view).map(({ toolId }) => toolId)).toEqual(['core:echo', 'kb:draft', 'kb:search']);
    expect(registry.find('core__echo', view)).toBeDefined();
    expect(registry.find('core:math', view)).toBeUndefined();
    expect(registry.versions('core:math', view)).toEqual([]);
    expect(registry.toolLookup('reader').find('core:math')).toBeUndefined();
  });

  it('An agent gets no suggestions from outside its inventory', () => {
    expect(registry.suggest('core:mth')).toBe('core:math');
    expect(registry.suggest('core:mth', view)).not.toBe('core:math');
    expect(registry.suggest('core:math@^9', view)).toBeUndefined();
  });

  it('An agent that is unknown or has an empty inventory sees no tools', () => {
    expect(registry.list({ agent: 'nobody' })).toEqual([]);
    expect(registry.list({ agent: 'unknown' })).toEqual([]);
    expect(registry.hasAgent('unknown')).toBe(false);
    expect(registry.agentIds()).toEqual(['nobody', 'reader']);
  });
});

describe('Registry.list', () => {
  it.each([
    [{ namespace: 'kb' }, ['kb:draft', 'kb:search']],
    [{ namespace: 'k' }, []],
    [{ tag: 'find' }, ['kb:search']],
    [{ namespace: 'kb', kind: 'node' as const }, []],
    [{ q: 'ARTICLE drafts' }, ['kb:draft']],
    [{ q: 'article search' }, ['kb:search', 'session:search', 'tools:search', 'kb:draft']],
    [{ q: 'article', namespace: 'core' }, []],
  ])('The filter %j lists %j', (filter, expected) => {
    expect(registry.list(filter).map(({ toolId }) => toolId)).toEqual(expected);
  });
});

test('The versions of a tool are listed newest first', () => {
  expect(registry.versions('kb:search').map(({ version: number }) => number)).toEqual([
    '2.0.0-beta.1',
    '1.10.0',
    '1.2.0',
  ]);
  expect(registry.versions('search_kb')).toHaveLength(3);
});

test('The digest of a tool depends on its definition', async () => {
  const [same, other] = await Promise.all([
    load({ 'tools/x.tool.json': toolFile() }),
    load({ 'tools/x.tool.json': toolFile({ tags: ['x'] }) }),
  ]);
  const again = await load({ 'tools/x.tool.json': toolFile() });
  expect(same.find('kb:search')!.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(again.find('kb:search')!.digest).toBe(same.find('kb:search')!.digest);
  expect(other.find('kb:search')!.digest).not.toBe(same.find('kb:search')!.digest);
});
