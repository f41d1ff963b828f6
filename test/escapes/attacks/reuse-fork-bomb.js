/*
Attack: start processes until the limit is near and leave them all behind; each goes on forking after the end of the
run.
Defence: one kill as the user of the run ends all of them; a container whose run was refused a process is not reused.
Runs: 4
Expect: []
*/
import { readdirSync } from 'node:fs';
import { isFirstRun, report } from './attempts.js';

if (isFirstRun()) {
  const bomb = 'b() { sleep 0.01; b & }; echo up; b';
  for (let i = 0; i < 8; i++)
    await Bun.spawn(['setsid', 'sh', '-c', bomb], { stdio: ['ignore', 'pipe', 'ignore'] })
      .stdout.getReader()
      .read();
  await report({});
  process.exit();
} else {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  await report({ stillThere: () => processes.length > 3 });
}
