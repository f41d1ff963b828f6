/**
 * Runs command lines of Errand in this process, one after the other, and leaves their output as it is: for a terminal. A form feed follows
 * the output of each. The arguments of this program are the folder of Errand, and the lines as JSON.
 */
import { pathToFileURL } from 'node:url';

const [root, lines] = process.argv.slice(2);
const { main } = await import(pathToFileURL(`${root}/bootstrap/main.mjs`).href);

for (const args of JSON.parse(lines)) {
  await main(args);
  process.stdout.write('\f');
}
