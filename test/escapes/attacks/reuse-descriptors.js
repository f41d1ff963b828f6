/*
Attack: find an open file of the supervisor among the inherited ones, or open an inherited file in the other direction.
The log is a pipe that all runs share: a script that reads it takes lines away from the runner.
Defence: all files except those of the script are closed; scripts can open the shared log only for writing.
Runs: 2
Expect: []
*/
import { constants, fchmodSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { isFirstRun, report } from './attempts.js';

/**
 * Bun opens descriptors itself: an event loop, a timer, a watch. A pipe besides those of the script would come from
 * another process.
 */
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
