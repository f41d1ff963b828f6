/**
 * Runs command lines of Errand in this process, one after the other. The parent sends the arguments of each, and gets its exit code and
 * output. The folder of Errand is the argument of this program.
 */
import { pathToFileURL } from 'node:url';

const { main } = await import(pathToFileURL(`${process.argv[2]}/bootstrap/main.mjs`).href);

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

async function answer(args) {
  const [stdout, stderr] = [collect(process.stdout), collect(process.stderr)];
  await main(args);
  // Each command listens for a reader that stops reading.
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  process.send({ status: process.exitCode, stdout: stdout.restore(), stderr: stderr.restore() });
}

process.on('message', (args) => void answer(args));
process.send('ready');
