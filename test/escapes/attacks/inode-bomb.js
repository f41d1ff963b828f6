/*
Attack: use up the file system with empty files, which no size limit counts.
Defence: `nr_inodes` of /tmp.
Expect: ResourceLimitError tmpMb
*/
import { writeFileSync } from 'node:fs';

for (let number = 0; ; number++) writeFileSync(`/tmp/${number}`, '');
