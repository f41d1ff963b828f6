/*
Attack: write a forged result into the channel to the runner, through the open files of the container's init.
Defence: a response counts only with the nonce, which the process of the script has never held.
Expect: SecurityError
*/
import { writeFileSync } from 'node:fs';

const answer = { exitCode: 0, nonce: '0'.repeat(32), stdoutBytes: 2 };
writeFileSync('/proc/1/fd/1', `${JSON.stringify(answer)}\n{}`);
await Bun.sleep(10_000);
