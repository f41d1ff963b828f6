/*
Attack: fill the disk with data.
Defence: /tmp is a tmpfs with a size, within the memory limit; nothing else can be written.
Limits: {"tmpMb": 4}
Expect: ResourceLimitError tmpMb
*/
import { appendFileSync } from 'node:fs';

for (;;) appendFileSync('/tmp/fill', Buffer.alloc(1 << 16));
