import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolError, type Implementation, type Language, type Problem } from '@errand/contracts';
import { otherNames } from '../plugins/call-function.js';
import type { DeclaredImplementation } from '../files/file-shapes.js';
import { locateScript, type ScriptFolder, type ScriptLocation } from './locate-script.js';
import { unknownName } from '../resolve/resolve-name.js';

/** Finds the script of a tool. It must have the language of the tool, and the function to call. */
export function resolveScript(
  { language, scriptPath, entryPoint }: Extract<DeclaredImplementation, { scriptPath: string }>,
  scripts: ScriptFolder & { name: string },
): { implementation: Implementation; kind: 'script' } | Problem {
  try {
    const fault = faultOfScript(locateScript([scripts], scriptPath, entryPoint), language);
    if (fault) return fault;
  } catch (error) {
    if (error instanceof ToolError) return problemOf(error);
    throw error;
  }
  const wanted = { language, scriptPath, ...(entryPoint !== undefined && { entryPoint }) };
  return { implementation: { type: 'script', ...wanted, scriptsDir: scripts.name }, kind: 'script' };
}

function problemOf({ message, details }: ToolError): Problem {
  const { field = 'scriptPath', suggestion } = details ?? {};
  if (typeof suggestion !== 'string') return { path: `/${String(field)}`, message };
  return { path: `/${String(field)}`, message: message.replace(`, did you mean '${suggestion}'?`, ''), suggestion };
}

const ENDINGS: readonly { ending: RegExp; name: string; languages: readonly Language[] }[] = [
  { ending: /\.pyw?$/, name: 'Python', languages: ['python'] },
  { ending: /\.[cm]?[jt]sx?$/, name: 'JavaScript or TypeScript', languages: ['bun', 'nodejs'] },
];

/** Returns a problem if the extension belongs to another language, or the function is missing. */
function faultOfScript({ folder, entry, calls }: ScriptLocation, language: Language): Problem | undefined {
  const ending = ENDINGS.find((each) => each.ending.test(entry));
  if (ending && !ending.languages.includes(language)) {
    const message = `The extension of the script '${entry}' is that of ${ending.name}, not ${language}`;
    return { path: '/language', message, suggestion: ending.languages[0]! };
  }
  if (calls === undefined) return undefined;
  const others = otherNames(language, readFileSync(join(folder, entry), 'utf8'), calls);
  return others && unknownName('/entryPoint', `There is no function '${calls}' in ${entry}`, calls, others);
}
