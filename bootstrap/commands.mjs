/**
 * The table of commands, with the arguments, needs and code of each command. Parsing, help and usage errors follow from it, for the
 * commands of this folder and for those of apps/errand.
 */
import { runAppCommand, stopRunning } from './app-command.mjs';
import { CLIENT_COMMANDS, JSON_OPTION, TARGET_OPTIONS, withInvocationLog } from './client-commands.mjs';
import { changeShards } from './change-shards.mjs';
import { doctor } from './doctor.mjs';
import { CODE, ensure, ensureSandbox, SANDBOX } from './ensure.mjs';
import { LOG_NOTES, LOG_OPTIONS, showLog } from './logs.mjs';
import { redis } from './needs/redis.mjs';
import { test } from './test.mjs';

const everything = async () => {
  await ensure([...CODE, redis], { later: SANDBOX });
  // The processes of Errand read this setting, too. Without Docker they start no script-runner.
  if (!(await ensureSandbox())) process.env.ERRAND_NO_DOCKER = 'true';
};
const code = () => ensure(CODE);
const codeQuietly = () => ensure(CODE, { reportAll: false });
const nothing = () => {};

const LIBRARY_OPTION = {
  library: { type: 'string', value: '<folder>', does: 'read the files of this folder, even if a stack runs' },
};

const NOTHING_FOUND = { 1: 'nothing was found' };

const list = {
  does: 'list the tools; with words, the matching tools, the best first',
  operands: '[words…]',
  options: {
    namespace: { type: 'string', value: '<name>', does: 'only tools of this namespace, such as core' },
    tag: { type: 'string', value: '<tag>', does: 'only tools with this tag' },
    kind: {
      type: 'string',
      value: '<kind>',
      does: 'only this kind: node, workflow, service, script, external or agent',
    },
    agent: { type: 'string', value: '<id>', does: 'only tools that this agent may call' },
    limit: { type: 'string', value: '<number>', does: 'at most this number of tools' },
    ...LIBRARY_OPTION,
    ...TARGET_OPTIONS,
    ...JSON_OPTION,
  },
  exits: NOTHING_FOUND,
  needs: codeQuietly,
  run: runAppCommand('tools', 'list'),
};

const tools = {
  ...list,
  does: 'list the tools, or show, check or draft one; they come from the running stack, else from the library',
  dashes: 'words that begin with a dash go after `--`',
  commands: {
    list,
    show: {
      does: 'print one tool with its parameters, examples, and a call to paste in each protocol',
      operands: '<id>',
      example: 'core:math',
      options: { ...LIBRARY_OPTION, ...TARGET_OPTIONS, ...JSON_OPTION },
      exits: NOTHING_FOUND,
      needs: codeQuietly,
      run: runAppCommand('tools', 'show'),
    },
    check: {
      does: 'print the problems of a library, a plugin or a file; exit code 1 if there are any',
      operands: '[path]',
      options: JSON_OPTION,
      needs: codeQuietly,
      run: runAppCommand('tools', 'check'),
    },
    draft: {
      does: 'write a tool file from the docstring and types of a script (.py .ts .js)',
      operands: '<script>',
      example: 'examples/scripts/hello.py',
      options: {
        function: { type: 'string', value: '<name>', does: 'the function to call, if the script has several' },
        id: { type: 'string', value: '<id>', does: 'the id of the tool, such as my:name' },
      },
      needs: codeQuietly,
      run: runAppCommand('tools', 'draft'),
    },
  },
};

const plugin = {
  does: 'make a plugin: a folder with its own nodes, workflows, scripts and tools',
  commands: {
    new: {
      does: 'make a plugin with a tool of each kind and a test that passes; nothing is overwritten',
      operands: '<name>',
      example: 'garden',
      options: {
        in: {
          type: 'string',
          value: '<folder>',
          does: 'the library of the plugin; default: the first of ERRAND_LIBRARY outside of examples/, else library/',
        },
      },
      exits: { 1: 'the plugin already exists' },
      needs: codeQuietly,
      run: runAppCommand('plugin', 'create'),
    },
  },
};

/** The whole command line. The parser handles `help` at every level, so its entry has no `run`. */
export const ERRAND = {
  does: 'Errand runs the tools of AI agents as durable background jobs.',
  commands: {
    demo: {
      does: 'show a script in a sandbox, a chain of tools, a refused text with its corrections, and an agent',
      needs: everything,
      run: runAppCommand('demo', 'run'),
    },
    up: { does: 'start everything in one process; Ctrl-C ends it', needs: everything, run: runAppCommand('up', 'run') },
    down: {
      does: 'end the stack that `up` started',
      options: { all: { type: 'boolean', does: 'also end the Docker engine, if Errand started it' } },
      needs: nothing,
      run: stopRunning,
    },
    logs: withInvocationLog({
      does: 'show the log of the running stack, else of the last one',
      options: LOG_OPTIONS,
      notes: LOG_NOTES,
      needs: nothing,
      run: showLog,
    }),
    ...CLIENT_COMMANDS,
    tools,
    plugin,
    doctor: {
      does: 'check this machine and print how to fix problems; it changes nothing',
      options: {
        sandbox: { type: 'boolean', does: 'attack the sandbox of this machine and print which attacks it stopped' },
        queues: { type: 'boolean', does: 'print what waits in each queue, and correct the counts of waiting jobs' },
      },
      needs: nothing,
      run: doctor,
    },
    shards: {
      does: 'divide the work among another number of shards; running processes follow',
      operands: '<number>',
      needs: code,
      run: changeShards,
    },
    test: {
      does: 'run every check and every test, or the test files whose paths match',
      operands: '[paths…]',
      options: {
        conformance: {
          type: 'boolean',
          does: 'run the published conformance suite of MCP against a stack, and nothing else',
        },
        cluster: {
          type: 'boolean',
          does: 'run the end-to-end tests on a Redis Cluster of six nodes with eight shards, and nothing else',
        },
      },
      dashes: "options of jest go after `--`: ./errand test -- -t 'a title'",
      notes: [
        "Options of jest go after `--`: ./errand test libs/queue -- -t 'a title'",
        'With paths or options of jest, types, lint and format are not checked.',
        'The ten slowest suites are listed at the end. The last line is `N passed, N failed`.',
      ].join('\n'),
      needs: nothing,
      run: test,
    },
    build: { does: 'provide only the npm packages and dist/', needs: code, run: () => 0 },
    help: { does: 'print this text, or the help of one command', operands: '[command…]' },
  },
  notes: [
    '`./errand <command> --help` prints the options of a command and does nothing else.',
    'A command first installs missing npm packages, Redis, Docker and images. With ERRAND_NO_DOCKER=true, Errand does not use Docker.',
    '.env.example lists all settings. docs/command-line.md describes how to talk to an Errand on another machine.',
  ].join('\n'),
};
