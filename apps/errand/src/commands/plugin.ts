/** `./errand plugin …`: the subcommands that bootstrap/commands.mjs names. */
export { newPlugin as create } from '../plugins/new-plugin.js';
