import { didYouMean, KnownError } from '@errand/contracts';
import type { Arguments, ScriptAnalysis, Signature } from './script-analysis.js';

/** The start of a tool: a function to call, or a script that reads its input itself. */
export type Entry = { call: Signature } | { reads: Arguments };

const USUAL = ['main', 'run', 'execute', 'handler', 'handle', 'tool', 'default'];

/**
 * Chooses the part of a script that is the tool: the wanted function; else the script itself, if it reads standard
 * input; else the function with the name of the script, a usual name, or the only one.
 * @throws KnownError if there is no such function, or several
 */
export function chooseEntry(
  { functions, reads, usesCommandLine }: ScriptAnalysis,
  scriptName: string,
  wanted?: string,
): Entry {
  if (wanted !== undefined) return { call: named(functions, wanted) };
  if (reads) return { reads };
  const callable = functions.filter(
    ({ exported, parameters }) => exported && !(usesCommandLine && parameters.length === 0),
  );
  const found =
    callable.find(({ isDefault }) => isDefault) ??
    mainFunction(
      callable.filter(({ name, parameters }) => !USUAL.includes(name) || parameters.length > 0),
      scriptName,
    ) ??
    (callable.length === 1 ? callable[0] : undefined);
  if (found) return { call: found };
  throw new KnownError(whyNone(functions, callable, usesCommandLine));
}

/** The function with the name of the script, or else a usual name. */
export function mainFunction(functions: readonly Signature[], scriptName: string): Signature | undefined {
  const plain = scriptName.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
  return (
    functions.find(({ name }) => name.replace(/_/g, '').toLowerCase() === plain) ??
    functions.find(({ name }) => USUAL.includes(name))
  );
}

function named(functions: readonly Signature[], wanted: string): Signature {
  const found = functions.find(({ name }) => name === wanted);
  if (found?.exported) return found;
  if (found)
    throw new KnownError(
      `The function '${wanted}' cannot be called from outside: export it (in Python: remove the _ at its start)`,
    );
  const near = didYouMean(
    wanted,
    functions.map(({ name }) => name),
  );
  throw new KnownError(`The script has no function '${wanted}'${near ? `, did you mean '${near}'?` : ''}`);
}

function whyNone(functions: readonly Signature[], callable: readonly Signature[], usesCommandLine: boolean): string {
  if (callable.length > 1) {
    const names = callable.map(({ name }) => name);
    return `The script has several functions that can be the tool: ${names.join(', ')}. Name one: --function ${names[0]}`;
  }
  if (usesCommandLine)
    return 'The script reads command-line arguments. A tool gets its arguments as JSON: add a function with parameters, or read JSON from standard input';
  if (functions.length > 0) {
    const names = functions.map(({ name }) => name).join(', ');
    return `No function of the script can be called from outside (it has ${names}): export one, or read JSON from standard input`;
  }
  return 'The script has no function to call and does not read standard input: add a function with parameters, or read JSON from standard input';
}
