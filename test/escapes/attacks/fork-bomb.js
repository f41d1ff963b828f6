/*
Attack: a shell's fork bomb, and processes on top of it.
Defence: `PidsLimit`. The container's end takes all of them.
Limits: {"pids": 48}
Expect: ResourceLimitError pids
*/
Bun.spawn(['sh', '-c', 'b() { b | b & }; b'], { stderr: 'ignore' });
for (;;) Bun.spawn(['sleep', '60']);
