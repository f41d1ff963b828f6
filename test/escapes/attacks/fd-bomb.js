/*
Attack: use up the host's open files.
Defence: `nofile` of each process, times the bound on processes.
Expect: ResourceLimitError openFiles
*/
import { openSync } from 'node:fs';

while (true) openSync('/dev/null');
