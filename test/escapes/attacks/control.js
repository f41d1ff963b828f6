/*
Attack: none. What every script may do, so that the other attacks are known to be told apart from it.
Defence: none is meant: what a script may do must show as done, or an empty list elsewhere would prove nothing.
Expect: ["writeTmp", "startProcess"]
*/
import { mkdirSync, writeFileSync } from 'node:fs';
import { report } from './attempts.js';

await report({
  writeTmp: () => writeFileSync('/tmp/x', 'x'),
  startProcess: () => Bun.spawnSync(['/bin/true']).exitCode === 0,
  refused: () => mkdirSync('/x'),
  false: () => false,
});
