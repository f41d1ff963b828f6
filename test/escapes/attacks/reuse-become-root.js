/*
Attack: become the user of the supervisor or of another run, and use its rights: user, groups, capabilities, files.
Defence: the process of a script has no capability in any set and may gain none; its real, effective and saved user are
its own.
Runs: 3
Expect: []
*/
import { chownSync, readdirSync, readFileSync } from 'node:fs';
import { isFirstRun, report } from './attempts.js';

isFirstRun();
const threads = () => readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/status`, 'utf8'));
const own = process.getuid();
const refused = (call, id) => () => {
  call.call(process, id);
  return process.getuid() !== own || process.geteuid() !== own || process.getgid() === 0;
};
await report({
  isRoot: () => threads().some((status) => /^[UG]id:.*\b0\b/m.test(status)),
  hasSeveralUsers: () => threads().some((status) => !/^Uid:\t(\d+)\t\1\t\1\t\1$/m.test(status)),
  capabilities: () => threads().some((status) => /^Cap(Inh|Prm|Eff|Bnd|Amb):\t0*[1-9a-f]/m.test(status)),
  mayGain: () => threads().some((status) => !/^NoNewPrivs:\t1$/m.test(status)),
  noFilter: () => threads().some((status) => !/^Seccomp:\t2$/m.test(status)),
  root: refused(process.setuid, 0),
  effectiveRoot: refused(process.seteuid, 0),
  nextRun: refused(process.setuid, own - 1),
  earlierRun: refused(process.setuid, own + 1),
  nobody: refused(process.setuid, 65_534),
  rootGroup: refused(process.setgid, 0),
  giveAway: () => chownSync(process.env.ERRAND_OUT, own - 1, 65_534),
});
