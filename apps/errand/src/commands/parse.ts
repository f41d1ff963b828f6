import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { checkWorkflow } from '@errand/engine';
import { API_SETTINGS, readProcessSettings } from '@errand/platform';
import { parse, renderDiagnostic } from '@errand/protocol';
import { loadRegistry } from '@errand/registry';
import { isColourful, print, say } from '../terminal.js';

/** The built-in plugin, beside the apps in the sources and in dist/ alike. */
const CORE = join(__dirname, '../../../../plugins/core');

/**
 * `./errand parse [file]`: what a text would call, or what is wrong with it and where. Nothing need be running: the tools are read
 * from ERRAND_LIBRARY. Exit code 2 where something is wrong.
 */
export async function run([file]: string[]): Promise<number> {
  const text = file === undefined ? await readAll(process.stdin) : readFileSync(file, 'utf8');
  const { ERRAND_LIBRARY: folders } = readProcessSettings(API_SETTINGS, process.env);
  const registry = await loadRegistry({ folders, coreDir: CORE, checkWorkflow });
  const { protocol, calls, errors, warnings } = parse(text, { tools: registry.toolBook() });
  for (const problem of [...warnings, ...errors]) say(renderDiagnostic(text, problem, { color: isColourful }));
  for (const call of calls) print(JSON.stringify(call));
  if (errors.length > 0) return 2;
  const count = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}, format ${protocol}.`;
  say(protocol === null ? 'No block: a plain response, nothing to run.' : count);
  return 0;
}
