import type { CommandLine } from '../command-line.js';
import { UsageError } from '../usage-error.js';
import { colour, print, say, terminalWidth, escapeControls } from '../terminal.js';
import { didYouMean, type ToolKind, type ToolInterface } from '@errand/contracts';
import { openCatalogue, type Filter } from './tool-catalogue.js';
import { fit, pad, widthOf } from './fit-text.js';

const KINDS: readonly string[] = ['node', 'workflow', 'service', 'script', 'external'];

interface Options extends Omit<Filter, 'q' | 'kind'> {
  kind?: string;
  limit?: string;
  library?: string;
  json?: true;
}

/** As many as a person reads; only where words rank the tools can the rest be left out. */
const BEST = 20;

/** `./errand tools [words]`: the tools that fit, the best first. Exit code 1 where none does. */
export async function listTools({ options, words }: CommandLine<Options>): Promise<number> {
  const { limit, library, json, ...filter } = options;
  const q = words.join(' ');
  const catalogue = await openCatalogue(library);
  const found = await catalogue.list({ ...checked(filter), ...(q !== '' && { q }) });
  const shown = found.slice(0, limit === undefined ? (q === '' ? Infinity : BEST) : wholeNumber(limit));
  if (json) print(JSON.stringify({ items: shown, nextCursor: null }));
  else {
    for (const line of renderTable(shown, terminalWidth())) print(line);
    if (found.length === 0) say(`No tool fits, ${catalogue.from}. \`./errand tools\` lists them all.`);
    else printNextSteps(found.length, shown.length, catalogue.from);
    suggestCommand(words);
  }
  return found.length === 0 ? 1 : 0;
}

/** A command that is misspelt counts as a word to look for. */
function suggestCommand([first = '', ...rest]: readonly string[]): void {
  const command = rest.length > 1 ? undefined : didYouMean(first, ['show', 'check', 'draft']);
  if (command !== undefined) say(`Did you mean the command \`./errand tools ${[command, ...rest].join(' ')}\`?`);
}

function printNextSteps(found: number, shown: number, from: string): void {
  const rest = shown < found ? `, the best ${shown} are listed (--limit ${found} lists all)` : '';
  say(colour.dim(`\n${found} ${found === 1 ? 'tool' : 'tools'}${rest}, ${from}.`));
  say(colour.dim('./errand tools show <id> prints one, with calls to paste; ./errand tools <words> looks for some.'));
}

function checked({ kind, ...filter }: { kind?: string | undefined } & Omit<Filter, 'kind'>): Filter {
  if (kind === undefined) return filter;
  if (!KINDS.includes(kind)) throw new UsageError(`--kind must be one of ${KINDS.join(', ')}, not '${kind}'`);
  return { ...filter, kind: kind as ToolKind };
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageError(`--limit must be a whole number of 1 or more, not '${text}'`);
  return Number(text);
}

const NARROW = 60;
const KIND_WIDTH = 8;

/** One line for each tool, no wider than the terminal (Infinity: nothing is cut); two where it is too narrow for columns. */
export function renderTable(tools: readonly ToolInterface[], width: number): string[] {
  if (width < NARROW) return tools.flatMap((tool) => [titleOf(tool), `  ${fit(wordsOf(tool), width - 2)}`]);
  const longest = Math.max(0, ...tools.map(({ toolId }) => widthOf(toolId)));
  const idWidth = Math.min(longest, width === Infinity ? longest : Math.floor(width * 0.4));
  return tools.map((tool) => {
    const id = colour.bold(pad(fit(escapeControls(tool.toolId), idWidth), idWidth));
    const kind = colour.dim(pad(tool.kind, KIND_WIDTH));
    return `${id}  ${kind}  ${fit(wordsOf(tool), width - idWidth - KIND_WIDTH - 4)}`;
  });
}

function titleOf({ toolId, kind }: ToolInterface): string {
  return `${colour.bold(escapeControls(toolId))} ${colour.dim(kind)}`;
}

function wordsOf({ description, deprecated }: ToolInterface): string {
  return `${deprecated ? '(deprecated) ' : ''}${escapeControls(description)}`;
}
