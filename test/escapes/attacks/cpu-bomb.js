/*
Attack: keep every CPU of the host busy with as many processes as possible.
Defence: all processes share one CPU in the control group, and the CPU time of all of them is counted.
Limits: {"timeoutMs": 1500}
Expect: TimeoutError
*/
for (let count = 0; count < 4; count++) Bun.spawn([process.execPath, '-e', 'while (true);']);
while (true);
