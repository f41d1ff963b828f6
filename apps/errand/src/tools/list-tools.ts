import { type CommandLine, UsageError } from '../command-line.js';
import { colour, print, say, terminalWidth, escapeControls } from '../terminal.js';
import { didYouMean, TOOL_KINDS, type ToolKind, type ToolInterface } from '@errand/contracts';
import { openCatalogue, type Filter, type SourceOptions } from './tool-catalogue.js';
import { fit, pad, widthOf } from './fit-text.js';

const KINDS: readonly string[] = TOOL_KINDS;

interface Options extends Omit<Filter, 'q' | 'kind'>, SourceOptions {
  kind?: string;
  limit?: string;
  json?: true;
}

/** The default limit of a search. A list without search words is not ranked, so it has no limit. */
const BEST = 20;

/** Terminals below this width get no columns. */
const NARROW = 60;
const KIND_WIDTH = 8;

/** `./errand tools [words]`: lists the matching tools, the best first. Exit code 1 without a match. */
export async function listTools({ options, words }: CommandLine<Options>): Promise<number> {
  const { limit, json, namespace, tag, kind, agent } = options;
  const q = words.join(' ');
  const catalogue = await openCatalogue(options);
  const found = await catalogue.list({ ...checked({ namespace, tag, kind, agent }), ...(q !== '' && { q }) });
  const shown = found.slice(0, limit === undefined ? (q === '' ? Infinity : BEST) : wholeNumber(limit));
  if (json) print(JSON.stringify({ items: shown, nextCursor: null }));
  else {
    for (const line of renderTable(shown, terminalWidth())) print(line);
    if (found.length === 0) say(`No tool matches, ${catalogue.from}. \`./errand tools\` lists all tools.`);
    else printNextSteps(found.length, shown.length, catalogue.from);
    suggestCommand(words);
  }
  return found.length === 0 ? 1 : 0;
}

/** Suggests a subcommand, because a misspelt one was used as a search word. */
function suggestCommand([first = '', ...rest]: readonly string[]): void {
  const command = rest.length > 1 ? undefined : didYouMean(first, ['show', 'check', 'draft']);
  if (command !== undefined) say(`Did you mean the command \`./errand tools ${[command, ...rest].join(' ')}\`?`);
}

function printNextSteps(found: number, shown: number, from: string): void {
  const rest = shown < found ? `, the best ${shown} are listed (--limit ${found} lists all)` : '';
  say(colour.dim(`\n${found} ${found === 1 ? 'tool' : 'tools'}${rest}, ${from}.`));
  say(colour.dim('./errand tools show <id> prints one, with calls to paste; ./errand tools <words> searches.'));
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

/** One line for each tool, at most `width` cells wide (Infinity: nothing is cut). A narrow terminal gets two lines for each tool. */
export function renderTable(tools: readonly ToolInterface[], width: number): string[] {
  if (width < NARROW) return tools.flatMap((tool) => [titleOf(tool), `  ${fit(wordsOf(tool), width - 2)}`]);
  const longest = Math.max(0, ...tools.map(({ toolId }) => widthOf(toolId)));
  const idWidth = Math.min(longest, width === Infinity ? longest : Math.floor(width * 0.4));
  return tools.map((tool) => {
    const id = colour.bold(pad(fit(escapeControls(tool.toolId), idWidth), idWidth));
    const kind = colour.dim(pad(escapeControls(tool.kind), KIND_WIDTH));
    return `${id}  ${kind}  ${fit(wordsOf(tool), width - idWidth - KIND_WIDTH - 4)}`;
  });
}

function titleOf({ toolId, kind }: ToolInterface): string {
  return `${colour.bold(escapeControls(toolId))} ${colour.dim(escapeControls(kind))}`;
}

function wordsOf({ description, deprecated }: ToolInterface): string {
  return `${deprecated ? '(deprecated) ' : ''}${escapeControls(description)}`;
}
