/**
 * The table of commands: what each takes, needs and runs. Help, refusals and parsing all follow from it, for the commands of this
 * folder and for those of apps/errand.
 */
import { runAppCommand, stopRunning } from './app-command.mjs';
import { doctor } from './doctor.mjs';
import { CODE, ensure, ensureSandbox } from './ensure.mjs';
import { showLog } from './logs.mjs';
import { redis } from './needs/redis.mjs';
import { test } from './test.mjs';

const everything = async () => {
  await ensure([...CODE, redis]);
  // The processes read it too: they start no script-runner where there is nothing for it to run on.
  if (!(await ensureSandbox())) process.env.ERRAND_NO_DOCKER = 'true';
};
const code = () => ensure(CODE);
const codeQuietly = () => ensure(CODE, { reportAll: false });
const nothing = () => {};

const JSON_OPTION = { json: { type: 'boolean', does: 'print JSON for programs' } };
const LIBRARY_OPTION = {
  library: { type: 'string', value: '<folder>', does: 'read the files of this folder, whether a stack runs or not' },
};

const list = {
  does: 'list the tools; with words, those that fit, the best first',
  operands: '[words…]',
  options: {
    namespace: { type: 'string', value: '<name>', does: 'only tools of this namespace, as core' },
    tag: { type: 'string', value: '<tag>', does: 'only tools with this tag' },
    kind: { type: 'string', value: '<kind>', does: 'only this kind: node, workflow, service, script or external' },
    agent: { type: 'string', value: '<id>', does: 'only tools that this agent may call' },
    limit: { type: 'string', value: '<number>', does: 'at most so many' },
    ...LIBRARY_OPTION,
    ...JSON_OPTION,
  },
  needs: codeQuietly,
  run: runAppCommand('tools', 'list'),
};

const tools = {
  ...list,
  does: 'list the tools, show, check or draft one: those of the running stack, else those of the library',
  dashes: 'words that begin with a dash go after `--`',
  commands: {
    list,
    show: {
      does: 'print one with parameters, examples, and a call to paste in each protocol',
      operands: '<id>',
      example: 'core:math',
      options: { ...LIBRARY_OPTION, ...JSON_OPTION },
      needs: codeQuietly,
      run: runAppCommand('tools', 'show'),
    },
    check: {
      does: 'say what is wrong with a library, a plugin or a file; exit code 1 where anything is',
      operands: '[path]',
      options: JSON_OPTION,
      needs: codeQuietly,
      run: runAppCommand('tools', 'check'),
    },
    draft: {
      does: 'write a tool file from docstring and types of a script (.py .ts .js)',
      operands: '<script>',
      example: 'examples/scripts/hello.py',
      options: {
        function: { type: 'string', value: '<name>', does: 'the function to call, where the script has several' },
        id: { type: 'string', value: '<id>', does: "the tool's id, as my:name" },
      },
      needs: codeQuietly,
      run: runAppCommand('tools', 'draft'),
    },
  },
  notes: 'Exit codes: 0 done, 1 nothing found or something wrong, 2 a command line that Errand does not understand.',
};

const plugin = {
  does: 'make a plugin: a folder that brings nodes, workflows, scripts and tools of its own',
  commands: {
    new: {
      does: 'make one that loads, with a tool of each kind and a test that passes; nothing is overwritten',
      operands: '<name>',
      example: 'garden',
      options: {
        in: { type: 'string', value: '<folder>', does: 'the library to put it into; else the first of ERRAND_LIBRARY' },
      },
      notes: 'Exit codes: 0 done, 1 it exists already, 2 a name or a command line that cannot be used.',
      needs: codeQuietly,
      run: runAppCommand('plugin', 'create'),
    },
  },
};

/** The whole command line. Every level understands `help` by itself, so its entry has nothing to run. */
export const ERRAND = {
  does: 'Errand runs the tools of AI agents as durable background jobs.',
  commands: {
    demo: {
      does: 'see it work: a script in a sandbox, a chain, a refusal that teaches',
      needs: everything,
      run: runAppCommand('demo', 'run'),
    },
    up: { does: 'start everything in one process; Ctrl-C ends it', needs: everything, run: runAppCommand('up', 'run') },
    down: {
      does: 'end what `up` started',
      options: { all: { type: 'boolean', does: 'also end the Docker engine, if Errand started it' } },
      needs: nothing,
      run: stopRunning,
    },
    logs: {
      does: 'show the log of the running stack, else of the last one',
      options: { follow: { type: 'boolean', short: 'f', does: 'go on as the log grows; Ctrl-C ends it' } },
      needs: nothing,
      run: showLog,
    },
    invoke: {
      does: 'submit a text and follow it to its end; without an argument, the text comes from stdin',
      operands: '[text…]',
      dashes: "a text that begins with a dash goes after `--`: ./errand invoke -- '- a list'",
      notes: "A text that begins with a dash goes after `--`: ./errand invoke -- '- a list'",
      needs: codeQuietly,
      run: runAppCommand('invoke', 'run'),
    },
    parse: {
      does: 'check a text without running anything; without a file, the text comes from stdin',
      operands: '[file]',
      needs: codeQuietly,
      run: runAppCommand('parse-text', 'run'),
    },
    tools,
    plugin,
    doctor: {
      does: 'look over this machine and say what to fix; it changes nothing',
      options: { sandbox: { type: 'boolean', does: "attack this machine's own sandbox and say what held" } },
      needs: nothing,
      run: doctor,
    },
    test: {
      does: 'run every check and every test, or the test files whose paths match',
      operands: '[paths…]',
      dashes: "options of jest go after `--`: ./errand test -- -t 'a title'",
      notes: [
        "Options of jest go after `--`: ./errand test libs/queue -- -t 'a title'",
        'With paths or options of jest, types, lint and format are not checked.',
        'The ten slowest suites are listed at the end. The last line is `N passed, N failed`.',
      ].join('\n'),
      needs: nothing,
      run: test,
    },
    build: { does: 'provide npm packages and dist/, nothing else', needs: code, run: () => 0 },
    help: { does: 'print this text, or the help of one command', operands: '[command…]' },
  },
  notes: [
    '`./errand <command> --help` prints the options of a command and does nothing else.',
    'Missing npm packages, Redis, Docker and images are provided on the way. ERRAND_NO_DOCKER=true keeps Errand from using Docker.',
    '.env.example lists all settings.',
  ].join('\n'),
};
