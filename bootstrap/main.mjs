import { doctor } from './doctor.mjs';
import { CODE, ensure, ensureSandbox } from './ensure.mjs';
import { redis } from './needs/redis.mjs';
import { showLog } from './logs.mjs';
import { bad, say } from './report.mjs';
import { runAppCommand, stopRunning } from './app-command.mjs';
import { test } from './test.mjs';

const everything = async () => {
  await ensure([...CODE, redis]);
  // The processes read it too: they start no script-runner where there is nothing for it to run on.
  if (!(await ensureSandbox())) process.env.ERRAND_NO_DOCKER = 'true';
};
const code = () => ensure(CODE);
const codeQuietly = () => ensure(CODE, { tellAll: false });
const nothing = () => {};

/** Every command: what it needs to be there, and what runs it; `run` gives the exit code. */
const COMMANDS = {
  demo: {
    does: 'see it work: a script in a sandbox, a chain, a refusal that teaches',
    needs: everything,
    run: runAppCommand('demo'),
  },
  up: { does: 'start everything in one process; Ctrl-C ends it', needs: everything, run: runAppCommand('up') },
  down: {
    does: 'end what `up` started (--all: and the Docker engine, if we started it)',
    needs: nothing,
    run: stopRunning,
  },
  logs: { does: 'show the log of the running, else of the last stack (-f: follow it)', needs: nothing, run: showLog },
  invoke: {
    does: "submit a text and follow it to its end: invoke '<text>', or from stdin",
    needs: codeQuietly,
    run: runAppCommand('invoke'),
  },
  parse: {
    does: 'check a text without running anything: parse [file], or from stdin',
    needs: codeQuietly,
    run: runAppCommand('parse'),
  },
  tools: {
    does: 'list the tools, show, check or draft one: tools --help says more',
    needs: codeQuietly,
    run: runAppCommand('tools'),
  },
  plugin: { does: 'make a plugin to begin with: plugin new <name>', needs: codeQuietly, run: runAppCommand('plugin') },
  doctor: {
    does: 'look over this machine and say what to mend (--sandbox: attack its sandbox, and tell what held)',
    needs: nothing,
    run: doctor,
  },
  test: { does: 'every check and every test', needs: nothing, run: test },
  build: { does: 'npm packages and dist/, nothing else', needs: code, run: () => 0 },
  help: { does: 'this list', needs: nothing, run: help },
};

/** Runs one command line and ends the process with its exit code: 2 for one that can't be understood. */
export async function main(words) {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  if (words.includes('--no-install')) process.env.ERRAND_NO_INSTALL = 'true';
  const [first = 'help', ...args] = words.filter((word) => word !== '--no-install');
  const name = ['-h', '--help'].includes(first) ? 'help' : first;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (!command) process.exitCode = refuse(name);
    else {
      await command.needs();
      process.exitCode = await command.run(args);
    }
  } catch (error) {
    // Our own faults show their stack; what a person can mend says how, and `hint` marks what the compiled part knows about.
    bad(error.title ?? name, error.mend || error.hint ? error : { message: error.stack });
    process.exitCode = 1;
  }
}

/** Who reads no further (`./errand tools | head`) has all that they want: no fault of ours. */
function endWithReader(stream) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

function help() {
  say('Errand runs the tools of AI agents as durable background jobs.\n');
  for (const [name, { does }] of Object.entries(COMMANDS)) say(`  ./errand ${name.padEnd(7)} ${does}`);
  say(
    '\nMissing npm packages, Redis, Docker and images are provided on the way; --no-install (or ERRAND_NO_INSTALL=true)',
  );
  say(
    'keeps it from installing Debian packages, ERRAND_NO_DOCKER=true from using Docker. .env.example lists all settings.',
  );
  return 0;
}

const letters = (word) => [...word].toSorted((a, b) => (a < b ? -1 : 1)).join('');

function refuse(name) {
  // npm packages may not be there yet, so not the library that the API uses: the same letters in another order, or the same start.
  const near = Object.keys(COMMANDS).find(
    (known) => letters(known) === letters(name) || known.startsWith(name.slice(0, 2)),
  );
  bad('errand', {
    message: `there is no command '${name}'${near ? `, did you mean '${near}'?` : ''}`,
    mend: './errand help lists them',
  });
  return 2;
}
