import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadFolders, toolFile, writeLibrary } from '../../test/write-library.js';
import type { LibraryProblem } from './library-problem.js';

const GOOD = JSON.stringify(toolFile(), null, 2);
const TOOL = 'tools/a.tool.json';
const MANIFEST = 'plugins/dice/plugin.yaml';

/** The problems of a library with only this file. */
async function problemsWith(path: string, content: string | Buffer): Promise<LibraryProblem[]> {
  const folder = writeLibrary({ [path]: '' });
  writeFileSync(join(folder, path), content);
  const registry = await loadFolders([folder]);
  return registry.problems().map((problem) => ({ ...problem, file: problem.file.replace(`${folder}/`, '') }));
}

describe('Unusual but valid tool files', () => {
  it.each<[what: string, content: string]>([
    ['begin with a byte order mark', `\uFEFF${GOOD}`],
    ['have Windows line ends', GOOD.replaceAll('\n', '\r\n')],
    ['be indented with tabs', JSON.stringify(toolFile(), null, '\t')],
    ['be on one line', JSON.stringify(toolFile())],
    ['name its schema', JSON.stringify({ $schema: '../docs/schemas/tool.schema.json', ...toolFile() })],
    ['have fields with the prefix x-', JSON.stringify({ ...toolFile(), 'x-team': 'search' })],
    [
      'contain text in any language',
      JSON.stringify(toolFile({ displayName: '検索', description: 'Durchsucht die Wissensdatenbank 🔍' })),
    ],
  ])('A tool file may %s', async (_what, content) => {
    expect(await problemsWith(TOOL, content)).toEqual([]);
  });
});

describe('The explanation of invalid JSON', () => {
  it.each<[what: string, content: string, line: number, column: number, message: RegExp]>([
    ['a comment', '{\n  // which tool\n  "toolId": "a:b"\n}', 2, 3, /no comments/],
    ['a block comment', '{\n  /* x */ "toolId": "a:b"\n}', 2, 3, /no comments/],
    ['an extra comma', '{\n  "toolId": "a:b",\n}', 3, 1, /comma too many/],
    ['an extra comma in a list', '{\n  "tags": ["a", ]\n}', 2, 17, /comma too many/],
    ['a missing comma', '{\n  "toolId": "a:b"\n  "version": "1.0.0"\n}', 3, 3, /comma missing/],
    ['single quotes', "{\n  'toolId': 'a:b'\n}", 2, 3, /double quotes/],
    ['a key without quotes', '{\n  toolId: "a:b"\n}', 2, 3, /double quotes/],
    ['a keyword of Python', '{\n  "deprecated": True\n}', 2, 17, /true, false and null/],
    ['a line break in a string', '{\n  "description": "one\ntwo"\n}', 2, 22, /line break/],
    ['a missing end', '{\n  "toolId": "a:b"', 2, 18, /ends too early/],
    ['text after the end', '{}\n{}', 2, 1, /more after its end/],
    ['no text', '', 0, 0, /is empty/],
    ['blank text', ' \n\n', 0, 0, /is empty/],
  ])('The problem of %s in JSON is explained with its place', async (_what, content, line, column, message) => {
    const [problem, ...more] = await problemsWith(TOOL, content);
    expect(problem).toMatchObject({
      file: TOOL,
      message: expect.stringMatching(message),
      ...(line > 0 && { line, column }),
    });
    expect(more).toEqual([]);
  });

  it('A file that is not UTF-8 text is reported', async () => {
    expect((await problemsWith(TOOL, Buffer.from([0x7b, 0xff, 0x00, 0x80])))[0]!.message).toMatch(/no.* text in UTF-8/);
    expect((await problemsWith(TOOL, Buffer.from(`\uFEFF${GOOD}`, 'utf16le')))[0]!.message).toMatch(/save it as UTF-8/);
  });

  it('A file larger than 8 MiB is reported with the limit', async () => {
    expect((await problemsWith(TOOL, ' '.repeat(8 * 1024 * 1024 + 1)))[0]!.message).toMatch(/at most 8388608 are read/);
  });

  it('A file that nests deeper than 64 levels is reported', async () => {
    const deep = `{"toolId": "a:b", "parameters": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect((await problemsWith(TOOL, deep))[0]!.message).toMatch(/nests deeper than 64 levels/);
    const yaml = `name: dice\nversion: ${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect((await problemsWith(MANIFEST, yaml))[0]!.message).toMatch(/nests? (?:too deep|deeper)/);
  });
});

describe('The place of a wrong field', () => {
  const lines = (...over: [field: string, value: unknown][]) =>
    JSON.stringify(toolFile(Object.fromEntries(over)), null, 2);
  it.each<[what: string, content: string, expected: Partial<LibraryProblem>]>([
    ['a file with a list', '[]', { line: 1, column: 1, message: 'The file must be an object, got a list' }],
    ['a file with a string', '"x"', { line: 1, message: 'The file must be an object, got a string' }],
    [
      'a number instead of a string',
      lines(['description', 5]),
      { line: 4, column: 3, field: 'description', message: "'description' must be a string, got an integer: 5" },
    ],
    ['a text for a list', lines(['tags', 'x']), { field: 'tags', message: `'tags' must be a list, got a string: "x"` }],
    ['an empty description', lines(['description', '']), { field: 'description' }],
    ['a wrong name', lines(['descripton', 'x']), { field: 'descripton', message: "Unknown field 'descripton'" }],
    [
      'a field of another format',
      lines(['inputSchema', {}]),
      { field: 'inputSchema', message: "Unknown field 'inputSchema'" },
    ],
    ['an id with umlauts', lines(['toolId', 'kb:größe']), { line: 2, field: 'toolId' }],
    ['an id with 5,000 letters', lines(['toolId', `kb:${'a'.repeat(5000)}`]), { field: 'toolId' }],
    [
      'an id without a namespace',
      lines(['toolId', 'search']),
      { field: 'toolId', message: expect.stringMatching(/^'toolId' must be written like kb:search, got search/) },
    ],
    ['an id with a blank', lines(['toolId', 'kb: x']), { field: 'toolId' }],
    ['an id with two colons', lines(['toolId', 'kb:a:b']), { field: 'toolId' }],
    [
      'a misspelt handler type',
      lines(['handler', { type: 'externalscript', language: 'python', scriptPath: 'x' }]),
      { field: 'handler.type', suggestion: 'external-script' },
    ],
    [
      'a handler without a type',
      lines(['handler', { language: 'python', scriptPath: 'x' }]),
      { field: 'handler.type', message: "Missing field 'handler.type'" },
    ],
    [
      'a misspelt language',
      lines(['handler', { type: 'external-script', language: 'pyton', scriptPath: 'x' }]),
      { field: 'handler.language', suggestion: 'python' },
    ],
    [
      'a misspelt type in the schema',
      lines(['parameters', { properties: { q: { type: 'strng' } } }]),
      { field: 'parameters.properties.q.type' },
    ],
    ['a limit as a string', lines(['limits', { timeoutMs: '5s' }]), { field: 'limits.timeoutMs' }],
    ['a wrong limit', lines(['limits', { timeoutMS: 5000 }]), { field: 'limits.timeoutMS', suggestion: 'timeoutMs' }],
  ])('The problem of %s names its line, column and field', async (_what, content, expected) => {
    const problems = await problemsWith(TOOL, content);
    expect(problems[0]).toMatchObject({
      file: TOOL,
      line: expect.any(Number),
      column: expect.any(Number),
      ...expected,
    });
  });

  it('The line of a problem is correct with Windows line ends and with tabs', async () => {
    const wrong = toolFile({ tags: [1] });
    for (const text of [JSON.stringify(wrong, null, 2).replaceAll('\n', '\r\n'), JSON.stringify(wrong, null, '\t')]) {
      const line = text.split('\n').findIndex((each) => each.trim() === '1') + 1;
      expect((await problemsWith(TOOL, text))[0]).toMatchObject({ line, field: 'tags[0]' });
    }
  });

  it('A duplicate key is reported, even if it is escaped differently', async () => {
    const text = '{\n  "toolId": "a:b",\n\t"tags": [{"x": 1, "\\u0078": 2}]\n}';
    expect((await problemsWith(TOOL, text))[0]).toMatchObject({
      line: 3,
      column: 20,
      message: expect.stringMatching(/'x' twice/),
    });
  });
});

describe('The file plugin.yaml', () => {
  const manifest = (tools = '') => `# yaml-language-server: $schema=x\nname: dice\nversion: 1.0.0\n${tools}`;
  it.each<[what: string, content: string]>([
    [
      'may use anchors',
      manifest(
        'tools:\n- &a {id: dice:a, description: d, implementation: {type: external}}\n- <<: *a\n  id: dice:b\n',
      ).replace('<<: *a\n', 'description: d\n  implementation: {type: external}\n'),
    ],
    ['may have a byte order mark and Windows line ends', `\uFEFF${manifest().replaceAll('\n', '\r\n')}`],
    ['may be JSON', JSON.stringify({ name: 'dice', version: '1.0.0' })],
  ])('A plugin.yaml %s', async (_what, content) => {
    expect(await problemsWith(MANIFEST, content)).toEqual([]);
  });

  it.each<[what: string, content: string, expected: Partial<LibraryProblem>]>([
    ['indented with tabs', 'name: dice\nversion: 1.0.0\ntools:\n\t- id: x\n', { line: 4 }],
    [
      'with two documents',
      'name: dice\n---\nname: dice\n',
      { line: 2, message: expect.stringMatching(/more than one document/) },
    ],
    ['that is a text', 'just words', { line: 1, message: 'The file must be an object, got a string' }],
    [
      'with a version that is a number',
      'name: dice\nversion: 1.2',
      { line: 2, field: 'version', message: "'version' must be a string, got a number: 1.2" },
    ],
    [
      'in JSON with a wrong name',
      '{\n  "name": "dice",\n  "version": "1.0.0",\n  "tool": []\n}',
      { line: 4, column: 3, field: 'tool', suggestion: 'tools' },
    ],
    [
      'in JSON with a name twice',
      '{ "name": "dice", "version": "1.0.0",\n  "name": "dice" }',
      { line: 2, message: expect.stringMatching(/cannot be read as it is meant: .*unique/i) },
    ],
    ['with a wrong name', 'name: dice\nversion: 1.0.0\ntool: []', { line: 3, field: 'tool', suggestion: 'tools' }],
    ['with an unknown alias', 'name: dice\nversion: *nothing', { message: expect.stringMatching(/cannot be read/) }],
    [
      'with exponentially nested aliases',
      `name: dice\nversion: 1.0.0\nx-a: &a [1,1,1,1,1,1,1,1,1,1]\nx-b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nx-c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nx-d: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]`,
      { message: expect.stringMatching(/cannot be read/) },
    ],
    ['that is empty', '\n', { message: 'The file is empty' }],
  ])('A plugin.yaml %s is reported with an explanation', async (_what, content, expected) => {
    expect((await problemsWith(MANIFEST, content))[0]).toMatchObject({ file: MANIFEST, ...expected });
  });
});

describe('Paths that are not regular files', () => {
  const folder = writeLibrary({ 'tools/good.tool.json': toolFile() });
  const problemOf = async (name: string) => {
    const registry = await loadFolders([folder]);
    expect(registry.find('kb:search')).toBeDefined();
    return registry.problems().find(({ file }) => file === join(folder, 'tools', name))?.message;
  };

  it('The problem of a folder, broken link, link cycle or pipe says what the path is', async () => {
    mkdirSync(join(folder, 'tools/folder.tool.json'));
    symlinkSync('nowhere', join(folder, 'tools/dangling.tool.json'));
    symlinkSync('loop.tool.json', join(folder, 'tools/loop.tool.json'));
    symlinkSync('..', join(folder, 'tools/up'));
    execFileSync('mkfifo', [join(folder, 'tools/pipe.tool.json')]);
    expect(await problemOf('folder.tool.json')).toMatch(/it is a folder/);
    expect(await problemOf('dangling.tool.json')).toMatch(/leads to a missing file/);
    expect(await problemOf('loop.tool.json')).toMatch(/leads back to itself/);
    expect(await problemOf('pipe.tool.json')).toMatch(/not a regular file/);
    expect(await problemOf('up')).toMatch(/leads back to a folder that contains it/);
  });
});

test.each([
  ['tools/a.json5', undefined],
  ['tools/a.tools.json', 'a.tool.json'],
  ['tools/a.tool.yaml', 'a.tool.json'],
  ['tools/a.tool.jsonc', 'a.tool.json'],
  ['tools/a_tool.json', 'a.tool.json'],
  ['plugins/x/plugin.yml', 'plugin.yaml'],
  ['plugins/x/plugin.json', 'plugin.yaml'],
  ['workflows/w.yaml', 'w.json'],
  ['agents/a.yml', 'a.json'],
  ['tools/README.md', undefined],
  ['tools/data.json', undefined],
])('A file called %s is ignored, and the suggested name is %s', async (path, suggestion) => {
  const problems = await problemsWith(path, '{}');
  const expected =
    suggestion === undefined ? [] : [{ file: path, message: expect.stringMatching(/skipped/), suggestion }];
  expect(problems).toEqual(expected);
});
