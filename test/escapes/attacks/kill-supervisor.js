/*
Attack: kill the supervisor.
Defence: none is needed: the container ends, and the run fails with a ScriptError.
Expect: ScriptError
*/
process.kill(process.ppid, 'SIGKILL');
await new Promise(() => setInterval(() => {}, 1000));
