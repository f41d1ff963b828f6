/**
 * Runs command lines of Errand in this process, one after the other. The parent sends each line: its arguments, and what differs from the
 * surroundings of this process. The parent gets its exit code and output. The folder of Errand is the argument of this program.
 */
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const load = (name) => import(pathToFileURL(`${process.argv[2]}/bootstrap/${name}`).href);
const { main } = await load('main.mjs');
const { CODE } = await load('ensure.mjs');
const home = process.cwd();
const environment = { ...process.env };

/** Sources and packages do not change while this process runs, so that one check of them is enough. It reads all sources. */
for (const need of CODE) {
  const { check } = need;
  let checked;
  need.check = () => (checked ??= check());
}

/** Collects the output until `restore` is called. */
function collect(stream) {
  const { write } = stream;
  const parts = [];
  stream.write = (part) => parts.push(String(part)) > 0;
  return {
    restore() {
      stream.write = write;
      return parts.join('');
    },
  };
}

/** Gives the process the environment of a line. Commands change theirs, so nothing of the line before remains. */
function setEnvironment(wanted) {
  for (const name of Object.keys(process.env)) if (!(name in wanted)) delete process.env[name];
  Object.assign(process.env, wanted);
}

/** The input of this process is closed. A line has its own, which is a stream that is not a terminal. */
function setInput(text) {
  const input = Readable.from(text === '' ? [] : [text], { objectMode: false });
  Object.defineProperty(process, 'stdin', { value: input, configurable: true });
}

async function answer({ args, env, cwd = home, stdin = '' }) {
  setEnvironment({ ...environment, ...env });
  setInput(stdin);
  process.chdir(cwd);
  const [stdout, stderr] = [collect(process.stdout), collect(process.stderr)];
  await main(args);
  // Each command listens for a reader that stops reading.
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  // The test may remove the folder of the line.
  process.chdir(home);
  process.send({ status: process.exitCode, stdout: stdout.restore(), stderr: stderr.restore() });
}

process.on('message', (line) => void answer(line));
process.send('ready');
