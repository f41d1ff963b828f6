/*
Attack: refuse to end: ignore signals, start a new session and child processes that go on.
Defence: a process cannot ignore SIGKILL of the container, and a process namespace ends all processes with its init.
Limits: {"timeoutMs": 500}
Expect: TimeoutError
*/
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGPIPE']) process.on(signal, () => {});
Bun.spawn(['setsid', 'sh', '-c', 'trap "" TERM INT HUP; while true; do sleep 1; done']);
await Bun.sleep(60_000);
