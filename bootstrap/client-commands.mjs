/** The commands that talk to the API of any Errand: the part of the table in `commands.mjs` for clients. */
import { runAppCommand } from './app-command.mjs';
import { CODE, ensure } from './ensure.mjs';
import { UsageError } from './usage-error.mjs';

const codeQuietly = () => ensure(CODE, { reportAll: false });

export const JSON_OPTION = { json: { type: 'boolean', does: 'print JSON for programs' } };
/** The options that name an Errand. docs/command-line.md has their order of precedence. */
export const TARGET_OPTIONS = {
  url: { type: 'string', value: '<address>', does: 'the address of an Errand, such as https://errand.example' },
  key: { type: 'string', value: '<key>', does: 'the API key; ERRAND_API_KEY or a profile hide it from other users' },
  profile: { type: 'string', value: '<name>', does: 'the address and key of this entry in profiles.yaml' },
  timeout: { type: 'string', value: '<seconds>', does: 'how long to wait for a response; default: 30' },
};
const CLIENT_OPTIONS = { ...TARGET_OPTIONS, ...JSON_OPTION };
const EVENTS_OPTION = { json: { type: 'boolean', does: 'print one JSON object for each event, on a line each' } };
const DETACH = { detach: { type: 'boolean', short: 'd', does: 'print the id and do not wait for the end' } };
const STEP = { step: { type: 'string', value: '<number>', does: 'the number of the step, from 0' } };

const ID = 'inv_01kab2…';
const ON_DASHES = "an argument that begins with a dash goes after `--`: ./errand invoke -- '- a list'";

const client = (name, { options = {}, ...command }) => ({
  options: { ...options, ...CLIENT_OPTIONS, ...(command.follows && EVENTS_OPTION) },
  needs: codeQuietly,
  run: runAppCommand(name, 'run'),
  ...command,
});

const text = (value, does) => ({ type: 'string', value, does });

const FILTERS = {
  status: text('<status>', 'only this status: queued, running, waiting_external, succeeded, failed or cancelled'),
  tool: text('<id>', 'only invocations that call this tool'),
  agent: text('<id>', 'only invocations of this agent'),
  session: text('<name>', 'only invocations of this session'),
  from: text('<time>', 'accepted at this time or later, such as 2026-11-21 or 2026-11-21T09:30:00Z'),
  to: text('<time>', 'accepted before this time'),
  'finished-from': text('<time>', 'ended at this time or later'),
  'finished-to': text('<time>', 'ended before this time'),
  'updated-after': text('<time>', 'changed after this time; the oldest change comes first'),
  ids: text('<ids>', 'only these ids, separated by commas'),
  fields: text('<names>', 'with --json: only these fields, separated by commas'),
  count: { type: 'boolean', does: 'also count the matches' },
  limit: text('<number>', 'at most this number of invocations; default: 20'),
  cursor: text('<cursor>', 'the page behind the one that printed this cursor'),
  all: { type: 'boolean', does: 'every page' },
};

/** The client commands by name. */
export const CLIENT_COMMANDS = {
  invoke: client('invoke', {
    does: 'submit a text and follow it to its end; without an argument or with `-`, the text comes from stdin',
    operands: '[text…]',
    options: {
      tool: text('<id>', 'call this tool; the argument is the JSON of its arguments'),
      agent: text('<id>', 'submit as this agent'),
      session: text('<name>', 'the conversation that the invocation belongs to'),
      ...DETACH,
    },
    follows: true,
    dashes: ON_DASHES,
    notes: "A text that begins with a dash goes after `--`: ./errand invoke -- '- a list'",
  }),
  agent: client('converse', {
    does: 'talk with an agent: its text as it arrives, its calls as lines; the keyboard answers client tools',
    operands: '<id> [message…]',
    example: "calculator 'What is 6 times 7?'",
    options: {
      session: text('<name>', 'continue this conversation; default: a new one'),
      tools: text('<file>', 'a JSON list of tools that you answer yourself: [{"name": …, "parameters": …}]'),
    },
    follows: true,
    dashes: ON_DASHES,
    notes: [
      'In a terminal, the next message follows each answer; Ctrl-D ends the conversation.',
      'Without a terminal, a message on the command line is the only one. Otherwise each line of stdin is a message.',
      'A question is answered with JSON or a text. A line that begins with ! answers with an error.',
    ].join('\n'),
  }),
  parse: client('dry-run', {
    does: 'check a text without running anything; without a file or with `-`, the text comes from stdin',
    operands: '[file]',
    notes: 'Without an address, the tools come from the files of ERRAND_LIBRARY, and no stack is needed.',
  }),
  get: client('get-invocation', {
    does: 'print an invocation: its status, steps, result, and why it waits',
    operands: '<id>',
    example: ID,
    options: { wait: text('<seconds>', 'wait for the end, at most this long (60)') },
  }),
  list: client('search-invocations', {
    does: 'list invocations, the newest first; all filters apply together',
    options: FILTERS,
  }),
  follow: client('follow-to-end', {
    does: 'print the events of an invocation until it ends, then its result',
    operands: '<id>',
    example: ID,
    follows: true,
  }),
  cancel: client('request-cancel', { does: 'cancel an invocation', operands: '<id>', example: ID }),
  retry: client('retry-and-follow', {
    does: 'continue a failed or cancelled invocation as a new one, and follow it to its end',
    operands: '<id>',
    example: ID,
    options: DETACH,
    follows: true,
  }),
  answer: client('answer-step', {
    does: 'answer a step that waits for somebody; with `-`, the JSON comes from stdin',
    operands: '<id> [json]',
    example: `${ID} '{"approved": true}'`,
    options: {
      ...STEP,
      node: text('<id>', 'the node that waits, if several nodes of the step wait'),
      error: text('<message>', 'answer that it failed, in place of the JSON'),
    },
    dashes: 'an answer that begins with a dash goes after `--`: ./errand answer <id> -- -5',
  }),
  mcp: client('mcp-setup', {
    does: 'print the configuration of MCP clients for this Errand, or for the tools of one agent',
    operands: '[agent]',
  }),
  result: client('print-result', {
    does: 'print the whole result: a text as it is, any other value as JSON',
    operands: '<id>',
    example: ID,
    options: { path: text('<pointer>', 'the value at this JSON Pointer, such as /rows/7/name') },
  }),
};

/** The log of one invocation: `./errand logs <id>`. */
const INVOCATION_LOG = client('print-log', { options: STEP });

/** Adds `logs <id>` to the command that shows the log of the stack. With an id, the command is one of a client. */
export function withInvocationLog(stackLog) {
  return {
    ...stackLog,
    does: `${stackLog.does}; with an id, the log of that invocation`,
    operands: '[id]',
    example: ID,
    options: { ...INVOCATION_LOG.options, ...stackLog.options },
    needs: async (line) => {
      requireFitting(line, stackLog);
      await (line.words.length > 0 ? INVOCATION_LOG : stackLog).needs(line);
    },
    run: (line) => (line.words.length > 0 ? INVOCATION_LOG : stackLog).run(line),
  };
}

/** @throws UsageError for an operand that is not an id, and for an option of the other log */
function requireFitting({ options, words: [id] }, stackLog) {
  if (id !== undefined && !id.startsWith('inv_'))
    throw new UsageError('logs', `'${id.slice(0, 60)}' is not the id of an invocation: it begins with inv_`);
  for (const name of Object.keys(options)) {
    const ofBoth = name === 'no-install' || name === 'follow';
    if (ofBoth) continue;
    if (id === undefined && !(name in stackLog.options))
      throw new UsageError('logs', `--${name} needs the id of an invocation: ./errand logs ${ID} --${name}`);
    if (id !== undefined && !(name in INVOCATION_LOG.options))
      throw new UsageError('logs', `--${name} is an option of the log of the stack, not of an invocation`);
  }
}
