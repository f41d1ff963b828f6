/** The subcommands of `./errand plugin`, as bootstrap/commands.mjs names them. */
export { newPlugin as create } from '../plugins/new-plugin.js';
