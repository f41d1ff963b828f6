/*
Attack: none. What every script may do, so that the other attacks are known to be told apart from it.
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
