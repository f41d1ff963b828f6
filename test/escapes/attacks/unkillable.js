/*
Attack: refuse to end: signals ignored, a new session, children that go on.
Defence: SIGKILL of the container cannot be ignored, and a process namespace leaves nobody behind.
Limits: {"timeoutMs": 500}
Expect: TimeoutError
*/
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGPIPE']) process.on(signal, () => {});
Bun.spawn(['setsid', 'sh', '-c', 'trap "" TERM INT HUP; while true; do sleep 1; done']);
await Bun.sleep(60_000);
