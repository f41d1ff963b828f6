import type { JsonSchema, Language } from '@errand/contracts';
import { declaredNames } from '../validate/suggest-parameter.js';

/** A function of a script that a tool calls. */
interface CalledFunction {
  /** The path of the script in the bundle. */
  file: string;
  name: string;
}

/** A generated file of the bundle. */
interface CallingScript {
  path: string;
  text: string;
}

/**
 * Generates a script that reads the arguments, calls the function and prints its result. Output of the function goes to
 * the log. Parameters that the tool declares get the arguments with their names. A single other parameter gets all
 * arguments as an object.
 */
export function callingScript(language: Language, called: CalledFunction, parameters: JsonSchema): CallingScript {
  const declared = declaredNames(parameters);
  return language === 'python'
    ? { path: '__errand_call__.py', text: inPython(called, declared) }
    : { path: '__errand_call__.mjs', text: inJavaScript(called, declared) };
}

function inPython({ file, name }: CalledFunction, declared: readonly string[]): string {
  return `import contextlib
import importlib.util
import inspect
import json
import sys

FILE, FUNCTION, DECLARED = ${JSON.stringify(file)}, ${JSON.stringify(name)}, ${JSON.stringify(declared)}


def load():
    spec = importlib.util.spec_from_file_location("errand_script", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # classes look their module up by its name
    spec.loader.exec_module(module)
    return module


def call(function, arguments):
    taken = list(inspect.signature(function).parameters.values())
    is_whole = len(taken) == 1 and taken[0].name not in DECLARED and taken[0].kind <= 1
    result = function(arguments) if is_whole else function(**arguments)
    if not inspect.isawaitable(result):
        return result
    import asyncio

    async def settle():
        return await result

    return asyncio.run(settle())


with contextlib.redirect_stdout(sys.stderr):
    function = getattr(load(), FUNCTION, None)
    if not callable(function):
        sys.exit(f"{FILE} has no function {FUNCTION!r}")
    result = call(function, json.load(sys.stdin))
json.dump(result, sys.stdout, allow_nan=False)
`;
}

function inJavaScript({ file, name }: CalledFunction, declared: readonly string[]): string {
  return `import { readFileSync } from 'node:fs';

const FILE = ${JSON.stringify(file)};
const FUNCTION = ${JSON.stringify(name)};
const DECLARED = ${JSON.stringify(declared)};

function argumentsFor(called, given) {
  const source = String(called).replace(/\\/\\*[^]*?\\*\\/|\\/\\/.*$/gm, '');
  const [, inBrackets, alone] =
    /^(?:async\\b)?\\s*(?:function\\b\\s*\\*?)?\\s*[\\w$]*\\s*\\(([^)]*)\\)|^(?:async\\s)?\\s*([\\w$]+)\\s*=>/.exec(source) ?? [];
  const list = (inBrackets ?? alone)?.trim();
  if (list === '' || list?.startsWith('{')) return [given];
  const names = list?.replace(/,$/, '').split(',').map((each) => /^\\s*([\\w$]+)\\s*(?:=[^({[]*)?$/.exec(each)?.[1]);
  if (names?.every((each) => DECLARED.includes(each))) return names.map((each) => given[each]);
  if (names?.length === 1 && names[0] !== undefined) return [given];
  throw new Error(\`The parameters of \${FUNCTION} in \${FILE} are not those of the tool: let it take one object\`);
}

for (const way of ['log', 'info', 'debug']) console[way] = console.error;
const script = await import(\`./\${FILE}\`);
const called = script[FUNCTION] ?? script.default?.[FUNCTION];
if (typeof called !== 'function') throw new Error(\`\${FILE} exports no function '\${FUNCTION}'\`);
const given = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify((await called(...argumentsFor(called, given))) ?? null));
`;
}

const DEFINITIONS = {
  python: /^[ \t]*(?:async\s+)?def\s+(\w+)|^(\w+)\s*=/gm,
  javascript: /(?:function\s*\*?|const|let|var|class)\s+([\w$]+)/g,
};

/**
 * The names that a script defines, for suggestions. Undefined if the text contains `name`, because it may be defined in
 * a way that this scan does not find.
 */
export function otherNames(language: Language, text: string, name: string): string[] | undefined {
  if (text.split(/[^\w$]+/).includes(name)) return undefined;
  const definitions = language === 'python' ? DEFINITIONS.python : DEFINITIONS.javascript;
  return [...text.matchAll(definitions)].map(([, first, second]) => first ?? second ?? '');
}
