/*
Attack: print without end.
Defence: the supervisor keeps at most `outputKb`, then kills the script.
Expect: ResourceLimitError outputKb
*/
import { writeSync } from 'node:fs';

for (;;) writeSync(1, 'x'.repeat(65536));
