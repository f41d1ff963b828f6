/*
Attack: a fork bomb of a shell, and more processes.
Defence: `PidsLimit`. The end of the container ends all processes.
Limits: {"pids": 48}
Expect: ResourceLimitError pids
*/
Bun.spawn(['sh', '-c', 'b() { b | b & }; b'], { stderr: 'ignore' });
for (;;) Bun.spawn(['sleep', '60']);
