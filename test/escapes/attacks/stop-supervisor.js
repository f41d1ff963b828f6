/*
Attack: stop the supervisor, so that it sees neither its deadline nor the end of its stdin lifeline.
Defence: the runner measures the time outside of the container and kills the container through the Docker engine.
Limits: {"timeoutMs": 500}
Expect: TimeoutError
*/
process.kill(process.ppid, 'SIGSTOP');
await Bun.sleep(60_000);
