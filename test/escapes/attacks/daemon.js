/*
Attack: leave a daemon behind that holds stdout and stderr open.
Defence: the result waits for the script only; the daemon dies with the container.
Limits: {"timeoutMs": 20000}
Expect: []
*/
Bun.spawn(['setsid', 'sh', '-c', 'while :; do echo still here >&2; sleep 0.1; done'], {
  stdio: ['ignore', 'inherit', 'inherit'],
}).unref();
console.log('[]');
