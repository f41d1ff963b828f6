import { showingRefusals } from '../client/run-client-command.js';
import { listTools } from '../tools/list-tools.js';
import { showTool } from '../tools/show-tool.js';

/** The subcommands of `./errand tools`, as bootstrap/commands.mjs names them. */
export { checkTools as check } from '../tools/check-tools.js';
export { draftTool as draft } from '../tools/draft-tool.js';
export const list = (line: Parameters<typeof listTools>[0]) => showingRefusals(line.options, () => listTools(line));
export const show = (line: Parameters<typeof showTool>[0]) => showingRefusals(line.options, () => showTool(line));
