/*
Attack: log without end, in very many lines.
Defence: the runner keeps 64 KiB, counts and drops the rest as it comes, and at a cap closes the stream, then kills.
Expect: ResourceLimitError log
*/
import { writeSync } from 'node:fs';

for (;;) writeSync(2, 'x\n'.repeat(32768));
