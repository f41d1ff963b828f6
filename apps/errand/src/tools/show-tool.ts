import { print, say, colour, terminalWidth } from '../terminal.js';
import type { CommandLine } from '../command-line.js';
import { openCatalogue } from './tool-catalogue.js';
import { renderTool } from './render-tool.js';
import { sampleCalls } from './sample-calls.js';

type Line = CommandLine<{ library?: string; json?: true }, [string]>;

/** Text is hard to read in longer lines. */
const READABLE = 100;

/** `./errand tools show <id>`: all about one tool, and a call in each protocol. Exit code 1 where there is no such tool. */
export async function showTool({ options, words: [id] }: Line): Promise<number> {
  const catalogue = await openCatalogue(options.library);
  const tool = await catalogue.show(id);
  // Who asks for a version shall call that one.
  const called = id.includes('@') ? { ...tool, toolId: `${tool.toolId}@${tool.version}`, aliases: [] } : tool;
  const calls = sampleCalls(called, catalogue.api);
  if (options.json) {
    print(JSON.stringify({ ...tool, calls }));
  } else {
    for (const line of renderTool(tool, calls, Math.min(terminalWidth(), READABLE))) print(line);
    say(colour.dim(`\n${catalogue.from[0]!.toUpperCase()}${catalogue.from.slice(1)}.`));
  }
  return 0;
}
