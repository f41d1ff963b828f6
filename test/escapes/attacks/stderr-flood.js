/*
Attack: log without end, in very many lines.
Defence: the runner keeps 64 KiB, counts and drops the rest as it arrives, closes the stream at a limit, and then kills.
Expect: ResourceLimitError log
*/
import { writeSync } from 'node:fs';

for (;;) writeSync(2, 'x\n'.repeat(32768));
