/*
Attack: leave files and folders where the next run may find them: closed folders, links, deep trees, names that are not
UTF-8, in /tmp and in the folder of the script. Change the folders themselves.
Defence: /tmp and /script belong to the supervisor. Both are emptied; a container whose folders cannot be emptied is not
reused.
Runs: 4
Expect: []
*/
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { isFirstRun, report } from './attempts.js';

const first = isFirstRun();
if (first) {
  mkdirSync('/tmp/closed/inside', { recursive: true });
  writeFileSync('/tmp/closed/inside/left', 'left');
  symlinkSync('/etc', '/tmp/link');
  symlinkSync('/proc/self/fd', '/tmp/out/fds');
  mkdirSync(`/tmp/${'deep/'.repeat(60)}`, { recursive: true });
  chmodSync('/tmp/closed/inside', 0);
  chmodSync('/tmp/closed', 0);
}
await report({
  leftInTmp: () => !first && String(readdirSync('/tmp')) !== 'out',
  leftInOut: () => !first && String(readdirSync('/tmp/out')) !== '',
  leftInScript: () => String(readdirSync('/script').toSorted()) !== '.in,attempts.js,reuse-files.js',
  newInScript: () => writeFileSync('/script/left.js', 'x'),
  changedScript: () => appendFileSync('/script/attempts.js', 'x'),
  openedScript: () => chmodSync('/script', 0o777),
  openedFile: () => chmodSync('/script/attempts.js', 0o666),
  removedFile: () => unlinkSync('/script/attempts.js'),
  closedTmp: () => chmodSync('/tmp', 0o700),
  modeOfTmp: () => (statSync('/tmp').mode & 0o7777) !== 0o1777,
});
