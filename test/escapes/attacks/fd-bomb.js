/*
Attack: use up the host's open files.
Defence: `nofile` limits each process, and `PidsLimit` limits the number of processes.
Expect: ResourceLimitError openFiles
*/
import { openSync } from 'node:fs';

while (true) openSync('/dev/null');
