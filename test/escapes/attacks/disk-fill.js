/*
Attack: fill the disk with data.
Defence: /tmp is a tmpfs with a size limit, within the memory limit; the script cannot write anywhere else.
Limits: {"tmpMb": 4}
Expect: ResourceLimitError tmpMb
*/
import { appendFileSync } from 'node:fs';

for (;;) appendFileSync('/tmp/fill', Buffer.alloc(1 << 16));
