import {
  chooseEntry,
  type Entry,
  makeDraft,
  type Draft,
  nameOfScript,
  readPython,
  readTypeScript,
  type ScriptAnalysis,
} from '@errand/tool-generator';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { stringify } from 'yaml';
import { type CommandLine, UsageError } from '../command-line.js';
import { KnownError } from '@errand/contracts';
import { shownPath } from '../shown-path.js';
import { colour, print, say } from '../terminal.js';
import { checkLibrary, renderProblem } from './check-library.js';

const READERS: Readonly<Record<string, (source: string) => ScriptAnalysis>> = {
  '.py': readPython,
  '.ts': readTypeScript,
  '.js': readTypeScript,
  '.mjs': readTypeScript,
  '.mts': readTypeScript,
  '.cjs': readTypeScript,
};
type Line = CommandLine<{ function?: string; id?: string }, [string]>;

const MAX_BYTES = 1024 * 1024;

/**
 * `./errand tools draft <script>`: writes a tool file from the source of a script, without running it. Exit code 1 if the source has
 * nothing to make a tool of, or if a file would be overwritten.
 */
export async function draftTool({ options, words: [script] }: Line): Promise<number> {
  const analysis = readScript(script);
  const entry = chooseEntry(analysis, nameOfScript(script), options.function);
  const draft = makeDraft({ script, analysis, entry, ...(options.id !== undefined && { id: options.id }) });
  refuseOverwriting(draft);
  for (const { path, text } of draft.files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: 'wx' });
    say(`${colour.green('wrote')} ${shownPath(path)}`);
  }
  if (draft.declaration) print(stringify([draft.declaration]));
  return printNextSteps(script, draft, entry);
}

function readScript(script: string): ScriptAnalysis {
  const read = READERS[extname(script)];
  if (!read)
    throw new UsageError(`The name of a script must end in one of ${Object.keys(READERS).join(' ')}, not '${script}'`);
  if (!existsSync(script) || !statSync(script).isFile()) throw new KnownError(`The script ${script} does not exist`);
  if (statSync(script).size > MAX_BYTES) throw new KnownError(`${script} is larger than 1 MB, the limit of a script`);
  return read(readFileSync(script, 'utf8').replace(/^\uFEFF/, ''));
}

function refuseOverwriting({ files }: Draft): void {
  const there = files.map(({ path }) => path).filter((path) => existsSync(path));
  if (there.length === 0) return;
  throw new KnownError(
    `${there.map(shownPath).join(' and ')} already ${there.length === 1 ? 'exists' : 'exist'}; remove ${there.length === 1 ? 'it' : 'them'}, or give the tool another id with --id`,
  );
}

async function printNextSteps(script: string, draft: Draft, entry: Entry): Promise<number> {
  for (const note of draft.notes) say(`${colour.yellow('look at')} ${note}`);
  if ('reads' in entry && entry.reads.parameters.length === 0)
    say(`${colour.yellow('fill in')} the parameters: the source does not say which arguments the script reads`);
  if (draft.location.plugin) {
    say(`Put this under \`tools:\` in ${shownPath(draft.location.plugin.manifest)}, then:`);
    say(colour.dim(`  ./errand tools check ${shownPath(dirname(draft.location.plugin.manifest))}`));
    return 0;
  }
  const [tool] = draft.files;
  if (!tool) throw new TypeError('A draft outside of a plugin has a tool file');
  if (!draft.location.inLibrary) {
    say(
      `${shownPath(script)} is not in a library: move it to the scripts/ of one, and ${shownPath(tool.path)} to its tools/.`,
    );
    return 0;
  }
  const { problems } = await checkLibrary(tool.path);
  for (const problem of problems) say(renderProblem(problem));
  say('Check the file and edit it, then:');
  say(colour.dim(`  ./errand tools check ${shownPath(tool.path)}`));
  say(
    colour.dim(`  ./errand tools show ${draft.toolId} --library ${shownPath(join(draft.location.toolsFolder, '..'))}`),
  );
  return problems.length === 0 ? 0 : 1;
}
