import { didYouMean, KnownError } from '@errand/contracts';
import type { Arguments, ScriptAnalysis, Signature } from './script-analysis.js';

/** What a draft is made from: a function that has to be called, or a script that reads its input itself. */
export type Entry = { call: Signature } | { reads: Arguments };

const USUAL = ['main', 'run', 'execute', 'handler', 'handle', 'tool', 'default'];

/**
 * What of a script is the tool: the function that is asked for; else the script itself, if it reads standard input; else the function
 * that has the script's name, a usual one, or is the only one.
 * @throws KnownError where there is none, or more than one that may be meant
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

/** The function that has the script's name or a usual one. */
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
      `The function '${wanted}' can't be called from outside: export it (in Python: no _ at its front)`,
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
    return `The script has several functions that may be the tool: ${names.join(', ')}. Name one: --function ${names[0]}`;
  }
  if (usesCommandLine)
    return 'The script takes words of a command line. A tool gets its arguments as JSON: give it a function with parameters, or let it read JSON from standard input';
  if (functions.length > 0) {
    const names = functions.map(({ name }) => name).join(', ');
    return `No function of the script can be called from outside (it has ${names}): export one, or let the script read JSON from standard input`;
  }
  return 'The script has no function to call and does not read standard input: write a function with parameters, or read JSON from standard input';
}
