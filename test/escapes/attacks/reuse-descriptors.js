/*
Attack: find an open file of the supervisor among one's own, or open one's own files in the other direction: the log is a pipe that all runs share, and whoever reads it takes lines that belong to the runner.
Defence: all files but the script's own are closed; the shared log can be opened for writing alone.
Runs: 2
Expect: []
*/
import { constants, fchmodSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { isFirstRun, report } from './attempts.js';

/** Bun has descriptors of its own: an event loop, a timer, a watch. A pipe beyond the script's own would be somebody else's. */
function inherited() {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return Number(fd) > 3 ? readlinkSync(`/proc/self/fd/${fd}`) : '';
    } catch {
      return '';
    }
  });
  return links.filter((link) => link.startsWith('pipe:'));
}

const { O_NONBLOCK, O_RDONLY, O_RDWR } = constants;
isFirstRun();
await report({
  inherited: () => inherited().length > 0,
  readLog: () => openSync('/proc/self/fd/2', O_RDONLY | O_NONBLOCK),
  readAndWriteLog: () => openSync('/proc/self/fd/2', O_RDWR | O_NONBLOCK),
  readLogOfInit: () => openSync('/proc/1/fd/2', O_RDONLY | O_NONBLOCK),
  openLogToAll: () => fchmodSync(2, 0o666),
});
