/*
Attack: stop the supervisor, so that it neither sees its deadline nor the end of its lifeline.
Defence: the runner keeps the time outside and kills the container through the engine.
Limits: {"timeoutMs": 500}
Expect: TimeoutError
*/
process.kill(process.ppid, 'SIGSTOP');
await Bun.sleep(60_000);
