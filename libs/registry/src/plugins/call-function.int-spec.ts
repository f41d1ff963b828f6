import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { load, toolFile, type Files } from '../../test/write-library.js';

const PARAMETERS = { properties: { text: { type: 'string' }, loud: { type: 'boolean' } } };

/** Packs the tool my:tool as for a runner and runs it with the local interpreter. */
async function run(files: Files, args: unknown) {
  const registry = await load(files);
  expect(registry.problems()).toEqual([]);
  const { definition } = await registry.define(registry.find('my:tool')!);
  const folder = mkdtempSync(join(tmpdir(), 'errand-call-'));
  for (const { path, base64 } of definition.script!.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), Buffer.from(base64, 'base64'));
  }
  const interpreter = definition.script!.language === 'python' ? 'python3' : process.execPath;
  const options = { cwd: folder, input: JSON.stringify(args), encoding: 'utf8' as const };
  const { stdout, stderr, status } = spawnSync(interpreter, [definition.script!.entry], options);
  rmSync(folder, { recursive: true });
  return { stdout, stderr, status };
}

const tool = (scriptPath: string, language: string, entryPoint = 'salute') =>
  toolFile({
    toolId: 'my:tool',
    parameters: PARAMETERS,
    handler: { type: 'external-script', language, scriptPath, entryPoint },
  });

const python = (source: string) => ({
  'tools/t.tool.json': tool('g/salute.py', 'python'),
  'scripts/g/salute.py': source,
});
const javaScript = (source: string) => ({
  'tools/t.tool.json': tool('g/salute.mjs', 'bun'),
  'scripts/g/salute.mjs': source,
});

const cases: [what: string, files: Files, args: unknown, result: unknown][] = [
  [
    'a Python function with named parameters',
    python('def salute(text, loud=False):\n    return [text, loud]'),
    { text: 'é' },
    ['é', false],
  ],
  [
    'a Python function with keyword-only parameters',
    python('def salute(*, loud, **rest):\n    return rest'),
    { text: 'a', loud: true },
    { text: 'a' },
  ],
  ['a function with one dict', python('def salute(arguments):\n    return arguments'), { text: 'a' }, { text: 'a' }],
  ['an async Python function', python('async def salute(text):\n    return text'), { text: 'a' }, 'a'],
  ['a void Python function', python('def salute():\n    pass'), {}, null],
  [
    'a Python function with imports and classes',
    {
      ...python(
        'from dataclasses import dataclass\nfrom words import hello\n\n@dataclass\nclass A:\n    text: str\n\ndef salute(text):\n    return hello + A(text).text',
      ),
      'scripts/g/words.py': 'hello = "hello "',
    },
    { text: 'you' },
    'hello you',
  ],
  [
    'a JavaScript function with named parameters',
    javaScript('export function salute(text, loud = false) { return [text, loud]; }'),
    { text: 'é' },
    ['é', false],
  ],
  ['an async arrow function', javaScript('export const salute = async ({ text }) => text;'), { text: 'a' }, 'a'],
  ['a function of one object', javaScript('export const salute = (input) => input.text;'), { text: 'a' }, 'a'],
  ['a bare arrow function', javaScript('export const salute = text => text;'), { text: 'a' }, 'a'],
  ['a default-exported method', javaScript('export default { salute() { return 1; } };'), { text: 'a' }, 1],
];

test.each(cases)('The wrapper calls %s', async (_what, files, args, result) => {
  const { stdout, stderr } = await run(files, args);
  expect({ stderr, result: JSON.parse(stdout) }).toEqual({ stderr: '', result });
});

test.each([
  ['python', python('print("load")\ndef salute(text):\n    print("run")\n    return text')],
  ['bun', javaScript('console.log("load"); export function salute(text) { console.log("run"); return text; }')],
])('The output that a function prints in %s goes to the log', async (_language, files) => {
  expect(await run(files, { text: 'a' })).toEqual({ stdout: '"a"', stderr: 'load\nrun\n', status: 0 });
});

test.each([
  ['Python with a value that is not a function', python('salute = 5'), /salute\.py has no function 'salute'/],
  ['Python with other parameters', python('def salute(name, age): pass'), /unexpected keyword argument 'text'/],
  ['JavaScript without the export', javaScript('function salute() {}'), /salute\.mjs exports no function 'salute'/],
  ['JavaScript with other parameters', javaScript('export function salute(a, b) {}'), /are not those of the tool/],
])('A call in %s fails with a reason', async (_what, files, message) => {
  const { stderr, status } = await run(files, { text: 'a' });
  expect(stderr).toMatch(message);
  expect(status).not.toBe(0);
});

test.each([
  ['an unknown function', 'a.py', 'python', 'salut', { field: 'handler.entryPoint', suggestion: 'salute' }],
  ['an invalid name', 'a.py', 'python', 'b.py', { field: 'handler.entryPoint' }],
  [
    'a file that is not in the folder',
    'job',
    'python',
    'mian.py',
    { field: 'handler.entryPoint', suggestion: 'job/main.py' },
  ],
  ['another language', 'a.py', 'bun', 'a.py', { field: 'handler.language', suggestion: 'python' }],
  ['the folder scripts', 'scripts/a.py', 'python', 'a.py', { field: 'handler.scriptPath', suggestion: 'a.py' }],
])('A tool that names %s is a problem', async (_what, scriptPath, language, entryPoint, expected) => {
  const registry = await load({
    'tools/t.tool.json': tool(scriptPath, language, entryPoint),
    'scripts/a.py': 'def salute(): pass',
    'scripts/job/main.py': '',
  });
  expect(registry.problems()).toEqual([expect.objectContaining({ line: expect.any(Number), ...expected })]);
});
