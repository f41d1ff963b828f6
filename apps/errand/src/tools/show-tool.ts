import { print, say, colour, escapeControls, terminalWidth } from '../terminal.js';
import type { CommandLine } from '../command-line.js';
import { openCatalogue, type FoundTool, type SourceOptions } from './tool-catalogue.js';
import { renderTool } from './render-tool.js';
import { sampleCalls } from './sample-calls.js';

type Line = CommandLine<SourceOptions & { json?: true }, [string]>;

/** The largest width of lines. Longer lines are hard to read. */
const READABLE = 100;

/** `./errand tools show <id>`: prints one tool, with a call in each protocol. Exit code 1 if the tool does not exist. */
export async function showTool({ options, words: [id] }: Line): Promise<number> {
  const catalogue = await openCatalogue(options);
  const tool = await catalogue.show(id);
  // If the id has a version, the sample calls have it, too.
  const called = id.includes('@') ? { ...tool, toolId: `${tool.toolId}@${tool.version}`, aliases: [] } : tool;
  const calls = sampleCalls(called, catalogue.api);
  if (options.json) {
    print(JSON.stringify({ ...tool, calls }));
  } else {
    for (const line of renderTool(visible(tool), calls, Math.min(terminalWidth(), READABLE))) print(line);
    say(colour.dim(`\n${catalogue.from.charAt(0).toUpperCase()}${catalogue.from.slice(1)}.`));
  }
  return 0;
}

/** The tool with visible control characters, because its file or its server may be hostile. */
const visible = (tool: FoundTool): FoundTool =>
  JSON.parse(JSON.stringify(tool), (_, value: unknown) =>
    typeof value === 'string' ? escapeControls(value) : value,
  ) as FoundTool;
