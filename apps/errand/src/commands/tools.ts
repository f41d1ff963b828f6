/** The subcommands of `./errand tools`, as bootstrap/commands.mjs names them. */
export { checkTools as check } from '../tools/check-tools.js';
export { draftTool as draft } from '../tools/draft-tool.js';
export { listTools as list } from '../tools/list-tools.js';
export { showTool as show } from '../tools/show-tool.js';
