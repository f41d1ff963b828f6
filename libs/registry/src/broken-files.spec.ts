import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadFolders, toolFile, writeLibrary } from '../test/write-library.js';
import type { LibraryProblem } from './library-problem.js';

const GOOD = JSON.stringify(toolFile(), null, 2);
const TOOL = 'tools/a.tool.json';
const MANIFEST = 'plugins/dice/plugin.yaml';

/** What is said of a library with just this file. */
async function problemsWith(path: string, content: string | Buffer): Promise<LibraryProblem[]> {
  const folder = writeLibrary({ [path]: '' });
  writeFileSync(join(folder, path), content);
  const registry = await loadFolders([folder]);
  return registry.problems().map((problem) => ({ ...problem, file: problem.file.replace(`${folder}/`, '') }));
}

describe('a tool file may', () => {
  it.each<[what: string, content: string]>([
    ['begin with a byte order mark', `\uFEFF${GOOD}`],
    ['have line ends of Windows', GOOD.replaceAll('\n', '\r\n')],
    ['be indented by tabs', JSON.stringify(toolFile(), null, '\t')],
    ['stand on one line', JSON.stringify(toolFile())],
    ['name its schema', JSON.stringify({ $schema: '../docs/schemas/tool.schema.json', ...toolFile() })],
    ['have fields of its own', JSON.stringify({ ...toolFile(), 'x-team': 'search' })],
    [
      'speak any language',
      JSON.stringify(toolFile({ displayName: '検索', description: 'Durchsucht die Wissensdatenbank 🔍' })),
    ],
  ])('%s', async (_what, content) => {
    expect(await problemsWith(TOOL, content)).toEqual([]);
  });
});

describe('a text that is no JSON is explained:', () => {
  it.each<[what: string, content: string, line: number, column: number, message: RegExp]>([
    ['a comment', '{\n  // which tool\n  "toolId": "a:b"\n}', 2, 3, /no comments/],
    ['a block comment', '{\n  /* x */ "toolId": "a:b"\n}', 2, 3, /no comments/],
    ['a comma too much', '{\n  "toolId": "a:b",\n}', 3, 1, /comma too much/],
    ['a comma too much in a list', '{\n  "tags": ["a", ]\n}', 2, 17, /comma too much/],
    ['a comma missing', '{\n  "toolId": "a:b"\n  "version": "1.0.0"\n}', 3, 3, /comma missing/],
    ['single quotes', "{\n  'toolId': 'a:b'\n}", 2, 3, /double quotes/],
    ['a name without quotes', '{\n  toolId: "a:b"\n}', 2, 3, /double quotes/],
    ['a word of Python', '{\n  "deprecated": True\n}', 2, 17, /true, false and null/],
    ['a line break in a text', '{\n  "description": "one\ntwo"\n}', 2, 22, /line break/],
    ['an end too early', '{\n  "toolId": "a:b"', 2, 18, /ends too early/],
    ['more after the end', '{}\n{}', 2, 1, /more after its end/],
    ['nothing', '', 0, 0, /is empty/],
    ['blanks', ' \n\n', 0, 0, /is empty/],
  ])('%s', async (_what, content, line, column, message) => {
    const [problem, ...more] = await problemsWith(TOOL, content);
    expect(problem).toMatchObject({
      file: TOOL,
      message: expect.stringMatching(message),
      ...(line > 0 && { line, column }),
    });
    expect(more).toEqual([]);
  });

  it('binary data', async () => {
    expect((await problemsWith(TOOL, Buffer.from([0x7b, 0xff, 0x00, 0x80])))[0]!.message).toMatch(/no.* text in UTF-8/);
    expect((await problemsWith(TOOL, Buffer.from(`\uFEFF${GOOD}`, 'utf16le')))[0]!.message).toMatch(/save it as UTF-8/);
  });

  it('a file too large', async () => {
    expect((await problemsWith(TOOL, ' '.repeat(8 * 1024 * 1024 + 1)))[0]!.message).toMatch(/at most 8388608 are read/);
  });

  it('nesting without end', async () => {
    const deep = `{"toolId": "a:b", "parameters": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect((await problemsWith(TOOL, deep))[0]!.message).toMatch(/nests deeper than 64 levels/);
    const yaml = `name: dice\nversion: ${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect((await problemsWith(MANIFEST, yaml))[0]!.message).toMatch(/nests? (?:too deep|deeper)/);
  });
});

describe('a field that is wrong is placed:', () => {
  const lines = (...over: [field: string, value: unknown][]) =>
    JSON.stringify(toolFile(Object.fromEntries(over)), null, 2);
  it.each<[what: string, content: string, expected: Partial<LibraryProblem>]>([
    ['a list for the file', '[]', { line: 1, column: 1, message: 'The file must be an object, got a list' }],
    ['a text for the file', '"x"', { line: 1, message: 'The file must be an object, got a string' }],
    [
      'a number for a text',
      lines(['description', 5]),
      { line: 4, column: 3, field: 'description', message: "'description' must be a string, got an integer: 5" },
    ],
    ['a text for a list', lines(['tags', 'x']), { field: 'tags', message: `'tags' must be a list, got a string: "x"` }],
    ['an empty description', lines(['description', '']), { field: 'description' }],
    ['a near name', lines(['descripton', 'x']), { field: 'descripton', message: "Unknown field 'descripton'" }],
    [
      'a name of another format',
      lines(['inputSchema', {}]),
      { field: 'inputSchema', message: "Unknown field 'inputSchema'" },
    ],
    ['an id of other letters', lines(['toolId', 'kb:größe']), { line: 2, field: 'toolId' }],
    ['an id of thousands of letters', lines(['toolId', `kb:${'a'.repeat(5000)}`]), { field: 'toolId' }],
    [
      'an id without a namespace',
      lines(['toolId', 'search']),
      { field: 'toolId', message: expect.stringMatching(/^'toolId' must be written like kb:search, got search/) },
    ],
    ['an id with a blank', lines(['toolId', 'kb: x']), { field: 'toolId' }],
    ['an id with two colons', lines(['toolId', 'kb:a:b']), { field: 'toolId' }],
    [
      'a near kind of handler',
      lines(['handler', { type: 'externalscript', language: 'python', scriptPath: 'x' }]),
      { field: 'handler.type', suggestion: 'external-script' },
    ],
    [
      'a handler of no kind',
      lines(['handler', { language: 'python', scriptPath: 'x' }]),
      { field: 'handler.type', message: "Missing field 'handler.type'" },
    ],
    [
      'a near language',
      lines(['handler', { type: 'external-script', language: 'pyton', scriptPath: 'x' }]),
      { field: 'handler.language', suggestion: 'python' },
    ],
    [
      'a near keyword of the schema',
      lines(['parameters', { properties: { q: { type: 'strng' } } }]),
      { field: 'parameters.properties.q.type' },
    ],
    ['a limit as a text', lines(['limits', { timeoutMs: '5s' }]), { field: 'limits.timeoutMs' }],
    ['a near limit', lines(['limits', { timeoutMS: 5000 }]), { field: 'limits.timeoutMS', suggestion: 'timeoutMs' }],
  ])('%s', async (_what, content, expected) => {
    const problems = await problemsWith(TOOL, content);
    expect(problems[0]).toMatchObject({
      file: TOOL,
      line: expect.any(Number),
      column: expect.any(Number),
      ...expected,
    });
  });

  it('also in lines that end as on Windows, or are indented by tabs', async () => {
    const wrong = toolFile({ tags: [1] });
    for (const text of [JSON.stringify(wrong, null, 2).replaceAll('\n', '\r\n'), JSON.stringify(wrong, null, '\t')]) {
      const line = text.split('\n').findIndex((each) => each.trim() === '1') + 1;
      expect((await problemsWith(TOOL, text))[0]).toMatchObject({ line, field: 'tags[0]' });
    }
  });

  it('a key that stands twice, however it is written', async () => {
    const text = '{\n  "toolId": "a:b",\n\t"tags": [{"x": 1, "\\u0078": 2}]\n}';
    expect((await problemsWith(TOOL, text))[0]).toMatchObject({
      line: 3,
      column: 20,
      message: expect.stringMatching(/'x' twice/),
    });
  });
});

describe('a plugin.yaml', () => {
  const manifest = (tools = '') => `# yaml-language-server: $schema=x\nname: dice\nversion: 1.0.0\n${tools}`;
  it.each<[what: string, content: string]>([
    [
      'may use anchors',
      manifest(
        'tools:\n- &a {id: dice:a, description: d, implementation: {type: external}}\n- <<: *a\n  id: dice:b\n',
      ).replace('<<: *a\n', 'description: d\n  implementation: {type: external}\n'),
    ],
    ['may have a byte order mark and line ends of Windows', `\uFEFF${manifest().replaceAll('\n', '\r\n')}`],
    ['may be JSON', JSON.stringify({ name: 'dice', version: '1.0.0' })],
  ])('%s', async (_what, content) => {
    expect(await problemsWith(MANIFEST, content)).toEqual([]);
  });

  it.each<[what: string, content: string, expected: Partial<LibraryProblem>]>([
    ['indented by tabs', 'name: dice\nversion: 1.0.0\ntools:\n\t- id: x\n', { line: 4 }],
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
    ['with a near name', 'name: dice\nversion: 1.0.0\ntool: []', { line: 3, field: 'tool', suggestion: 'tools' }],
    ['with an alias to nothing', 'name: dice\nversion: *nothing', { message: expect.stringMatching(/cannot be read/) }],
    [
      'with a bomb of aliases',
      `name: dice\nversion: 1.0.0\nx-a: &a [1,1,1,1,1,1,1,1,1,1]\nx-b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nx-c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nx-d: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]`,
      { message: expect.stringMatching(/cannot be read/) },
    ],
    ['that is empty', '\n', { message: 'The file is empty' }],
  ])('%s is explained', async (_what, content, expected) => {
    expect((await problemsWith(MANIFEST, content))[0]).toMatchObject({ file: MANIFEST, ...expected });
  });
});

describe('what is no file', () => {
  const folder = writeLibrary({ 'tools/good.tool.json': toolFile() });
  const problemOf = async (name: string) => {
    const registry = await loadFolders([folder]);
    expect(registry.find('kb:search')).toBeDefined();
    return registry.problems().find(({ file }) => file === join(folder, 'tools', name))?.message;
  };

  it('is named as what it is', async () => {
    mkdirSync(join(folder, 'tools/folder.tool.json'));
    symlinkSync('nowhere', join(folder, 'tools/dangling.tool.json'));
    symlinkSync('loop.tool.json', join(folder, 'tools/loop.tool.json'));
    symlinkSync('..', join(folder, 'tools/up'));
    execFileSync('mkfifo', [join(folder, 'tools/pipe.tool.json')]);
    expect(await problemOf('folder.tool.json')).toMatch(/it is a folder/);
    expect(await problemOf('dangling.tool.json')).toMatch(/leads to what is not there/);
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
])('a file called %s is passed over, and what was meant is guessed: %s', async (path, suggestion) => {
  const problems = await problemsWith(path, '{}');
  const expected =
    suggestion === undefined ? [] : [{ file: path, message: expect.stringMatching(/passed over/), suggestion }];
  expect(problems).toEqual(expected);
});
