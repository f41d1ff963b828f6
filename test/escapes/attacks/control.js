/*
Attack: none. The script does what every script may do.
Defence: none. The list must not be empty: it proves that the other attacks print an empty list because of a refusal.
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
