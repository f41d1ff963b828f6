/*
Attack: use up the file system with empty files, which a size limit does not count.
Defence: `nr_inodes` of /tmp.
Expect: ResourceLimitError tmpMb
*/
import { writeFileSync } from 'node:fs';

for (let number = 0; ; number++) writeFileSync(`/tmp/${number}`, '');
