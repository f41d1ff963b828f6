import { print, say, colour, terminalWidth } from '../terminal.js';
import type { CommandLine } from '../command-line.js';
import { openCatalogue } from './tool-catalogue.js';
import { renderTool } from './render-tool.js';
import { sampleCalls } from './sample-calls.js';

type Line = CommandLine<{ library?: string; json?: true }, [string]>;

/** The largest width of lines. Longer lines are hard to read. */
const READABLE = 100;

/** `./errand tools show <id>`: prints one tool, with a call in each protocol. Exit code 1 if the tool does not exist. */
export async function showTool({ options, words: [id] }: Line): Promise<number> {
  const catalogue = await openCatalogue(options.library);
  const tool = await catalogue.show(id);
  // If the id has a version, the sample calls have it, too.
  const called = id.includes('@') ? { ...tool, toolId: `${tool.toolId}@${tool.version}`, aliases: [] } : tool;
  const calls = sampleCalls(called, catalogue.api);
  if (options.json) {
    print(JSON.stringify({ ...tool, calls }));
  } else {
    for (const line of renderTool(tool, calls, Math.min(terminalWidth(), READABLE))) print(line);
    say(colour.dim(`\n${catalogue.from.charAt(0).toUpperCase()}${catalogue.from.slice(1)}.`));
  }
  return 0;
}
