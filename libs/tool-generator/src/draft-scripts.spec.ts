import type { JsonObject } from '@errand/contracts';
import { toolLookupOf } from '@errand/registry';
import { array, assert, constantFrom, nat, option, property, record } from 'fast-check';
import { randomRuns } from '../../../test/support/random-runs.js';
import { PYTHON, PYTHON_DEFAULTS } from '../test/drafts/python-functions.js';
import { PYTHON_STDIN } from '../test/drafts/python-scripts.js';
import { TYPESCRIPT } from '../test/drafts/typescript.js';
import { chooseEntry } from './choose-entry.js';
import { makeDraft } from './make-draft.js';
import { readPython } from './read-python.js';
import { readTypeScript } from './read-typescript.js';

interface Drafted {
  tool: JsonObject & { parameters: JsonObject };
  adapter?: string;
  notes: string[];
}

function draft(file: string, source: string, wanted?: string): Drafted {
  const analysis = file.endsWith('.py') ? readPython(source) : readTypeScript(source);
  const entry = chooseEntry(analysis, file.replace(/\.\w+$/, ''), wanted);
  const { files, notes } = makeDraft({ script: `/library/scripts/${file}`, analysis, entry });
  const [tool, adapter] = files;
  return { tool: JSON.parse(tool!.text) as Drafted['tool'], notes, ...(adapter && { adapter: adapter.text }) };
}

const ALL = Object.entries({ ...PYTHON, ...PYTHON_DEFAULTS, ...PYTHON_STDIN, ...TYPESCRIPT });

describe('The drafted tool of a script', () => {
  it.each(ALL)(
    'A draft has the parameters of the script: %s',
    (_name, { file, source, properties, required, more = {}, function: wanted }) => {
      const { tool } = draft(file, source, wanted);
      expect(tool.parameters.properties).toEqual(properties);
      expect(tool.parameters.required).toEqual(required);
      expect(tool).toMatchObject(more);
    },
  );

  it.each(ALL)('The schema of a draft can validate calls: %s', (_name, { file, source, function: wanted }) => {
    const { tool } = draft(file, source, wanted);
    const book = toolLookupOf([{ toolId: 'x', parameters: tool.parameters }]);
    const problems = book.validate(book.find('x')!, {}).problems.map(({ path }) => path.slice(1));
    expect(problems).toEqual((tool.parameters.required as string[] | undefined) ?? []);
  });

  it('A tuple of any length needs no note', () => {
    const { tool, notes } = draft('t.py', 'def t(of: tuple[int, ...]): ...');
    expect(tool.parameters.properties).toEqual({ of: { type: 'array', items: { type: 'integer' } } });
    expect(notes).toEqual(['the description: the source has no comment for it']);
  });

  it('A script that reads its input itself needs no adapter', () => {
    for (const { file, source } of Object.values(PYTHON_STDIN))
      expect(draft(file, source)).not.toHaveProperty('adapter');
    expect(draft('slug.ts', TYPESCRIPT['Bun.stdin with a type']!.source)).not.toHaveProperty('adapter');
  });

  it('A draft allows additional properties only if the script may read more than the generator sees', () => {
    const closed = draft('main.py', PYTHON_STDIN['a function that gets the keys']!.source);
    expect(closed.tool.parameters).not.toHaveProperty('additionalProperties');
    const open = draft('whole.py', PYTHON_STDIN['a function that gets the whole']!.source);
    expect(open.tool.parameters).toHaveProperty('additionalProperties', true);
  });

  it('A draft names its script and the function that is called', () => {
    const usual = { type: 'external-script', language: 'python' };
    expect(draft('main.py', PYTHON_STDIN['a function that gets the keys']!.source).tool.handler).toEqual({
      ...usual,
      scriptPath: 'main.py',
    });
    const named = draft('area.py', 'def area(width: float, depth=2): ...');
    expect(named.tool.handler).toEqual({ ...usual, scriptPath: 'area.py', entryPoint: 'area' });
    expect(named).not.toHaveProperty('adapter');
  });

  it.each([
    ['a.py', 'def a(x: int, /): ...'],
    ['a.py', 'def a(x: int, /, *, y: int): ...'],
    ['a.py', 'def a(*x: int): ...'],
    ['a.py', 'def a(x: int):\n  yield x'],
    ['a.py', 'import datetime\ndef a(x: datetime.date): ...'],
    ['a.ts', 'export default function a(x: string) {}'],
    ['a.ts', 'export function a(...x: string[]) {}'],
    ['a.ts', "export function a(x = 'a, b') {}"],
    ['a.ts', 'export function* a(x: string) {}'],
  ])('A draft of %s with %j has an adapter that calls the function with the right arguments', (file, source) => {
    const { tool, adapter } = draft(file, source);
    expect(tool.handler).toMatchObject({ scriptPath: file.replace('.', '.call.') });
    expect(tool.handler).not.toHaveProperty('entryPoint');
    expect(adapter).toContain(file.endsWith('.py') ? 'called(' : 'script.');
  });

  it.each([
    ['def a(x: str): ...', 'a.py'],
    ['async def a(*, x: str, **more): ...', 'a.py'],
    ['export function a(x: string, y = 2, z = true) {}', 'a.ts'],
    ['export const a = async ({ x, y = [] }: { x: string; y?: string[] }) => x;', 'a.ts'],
  ])('A draft of %j needs no adapter', (source, file) => {
    expect(draft(file, source).tool.handler).toMatchObject({ scriptPath: file, entryPoint: 'a' });
  });

  it.each<[what: string, file: string, source: string, expected: string, wanted?: string]>([
    [
      'reads its input in main',
      'count.py',
      'import json, sys\ndef main():\n    """Counts words."""\n    data = json.load(sys.stdin)\n    print(json.dumps({"n": len(data["text"])}))\nmain()',
      'Counts words.',
    ],
    [
      'prints the result of a function inside other JSON',
      'slug.py',
      'import json, sys\ndef slugify(text):\n    """Makes a slug."""\n    return text\nprint(json.dumps({"slug": slugify(json.load(sys.stdin)["text"])}))',
      'Makes a slug.',
    ],
    [
      'has a module docstring as well, but prints the result of a function',
      'a.py',
      '"""Tools for text."""\nimport json, sys\ndef shorten(text):\n    """Shortens a text."""\n    return text\nprint(json.dumps(shorten(**json.load(sys.stdin))))',
      'Shortens a text.',
    ],
    [
      'has a comment before the docstring',
      'a.py',
      'def a(x: int):\n    # why\n    """Says why."""\n    return x',
      'Says why.',
    ],
    ['has its docstring on a line with code', 'a.py', 'def a(x: int): """Is short."""; return x', 'Is short.'],
    ['has its docstring in brackets', 'a.py', 'def a(x: int):\n    ("Is"\n     " long.")', 'Is long.'],
    ['is asynchronous', 'a.py', 'async def a(x: int):\n    "Waits."', 'Waits.'],
    ['is decorated', 'a.py', "@cache\n@other(1)\ndef a(x: int):\n    '''\n    Keeps it.\n    '''", 'Keeps it.'],
    ['is one of several', 'a.py', 'def b(x):\n    "Is b."\ndef c(x):\n    "Is c."', 'Is c.', 'c'],
    ['is a constant with a type', 'a.ts', '/** Adds. */\nexport const a: Add = (x: number) => x;', 'Adds.'],
    [
      'reads its input, in TypeScript',
      'a.ts',
      '/** Counts. */\nasync function main() {\n  const data = JSON.parse(await Bun.stdin.text());\n  console.log(data.text.length);\n}\nmain();',
      'Counts.',
    ],
  ])('The description is the docstring of a function that %s', (_what, file, source, expected, ...[wanted]) => {
    const { tool, notes } = draft(file, source, wanted);
    expect(tool.description).toBe(expected);
    expect(notes).toEqual([]);
  });

  it('The docstring of the function that reads the input describes the parameters', () => {
    const args = 'Counts words.\n\n    Args:\n        text: The text to count.\n    ';
    const python = `import json, sys\ndef main():\n    """${args}"""\n    data = json.load(sys.stdin)\n    print(len(data["text"]))\nmain()`;
    expect(draft('a.py', python).tool.parameters.properties).toEqual({ text: { description: 'The text to count.' } });
    const script =
      '/**\n * Counts.\n * @param text The text to count.\n */\nasync function main() {\n  const data = JSON.parse(await Bun.stdin.text());\n  console.log(data.text);\n}\nmain();';
    expect(draft('a.ts', script).tool.parameters.properties).toEqual({ text: { description: 'The text to count.' } });
  });

  it('The notes name everything that the source does not say', () => {
    const { notes, tool } = draft('odd.py', PYTHON['a default that does not fit']!.source);
    expect(notes).toEqual([
      'the description: the source has no comment for it',
      'the default of x: "three" does not fit its type',
    ]);
    expect(tool.description).toMatch(/^Odd\. Describe here/);
    expect(draft('x.py', 'def x(a: Frame): ...').notes[0]).toContain('the type Frame');
    expect(draft('x.py', 'def x(a: int): ...\n)(').notes.join()).toContain('line 2 could not be read');
  });
});

describe('A broken source', () => {
  const marks = constantFrom(...'()[]{}:,*/=@\'"\n|<>.#`'.split(''));
  const damage = record({ at: nat(400), without: nat(12), mark: option(marks, { nil: '' }) });

  it('A broken source is read without an error', () => {
    assert(
      property(constantFrom(...ALL), array(damage, { minLength: 1, maxLength: 4 }), ([, { file, source }], all) => {
        const broken = all.reduce(
          (text, { at, without, mark }) => text.slice(0, at) + mark + text.slice(at + without),
          source,
        );
        const { functions } = file.endsWith('.py') ? readPython(broken) : readTypeScript(broken);
        expect(functions.every(({ name }) => typeof name === 'string')).toBe(true);
      }),
      { numRuns: randomRuns(1_000) },
    );
  });
});

describe('A script without a function for the tool', () => {
  it.each([
    ['a.py', '"""Nothing."""', /has no function to call/],
    ['a.py', 'def b(x): ...\ndef c(y): ...', /several functions .*: b, c\. Name one: --function b/],
    ['a.py', 'def _b(x): ...', /No function of the script can be called from outside \(it has _b\)/],
    ['a.py', 'import argparse\ndef main():\n  argparse.ArgumentParser()', /command-line arguments/],
    ['a.py', '# sys.stdin is not read\nx = "json.load(sys.stdin)"', /has no function to call/],
    ['a.ts', 'function b() {}', /export one/],
    ['a.ts', 'console.log(process.argv)', /command-line arguments/],
  ])('The error for %s %j gives the reason', (file, source, message) => {
    expect(() => draft(file, source)).toThrow(message);
  });

  it('The error for an unknown function has a suggestion', () => {
    expect(() => draft('a.py', 'def summarize(x): ...', 'sumarize')).toThrow("did you mean 'summarize'?");
    expect(() => draft('a.ts', 'function b(x: string) {}', 'b')).toThrow('export it');
  });
});
