import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { followPlugin } from '../../test/follow-plugin.js';

/** A user namespace has its own limits, which its root user may set. */
const NAMESPACE = ['unshare', '--user', '--map-root-user'];
const LIMITED = 'echo 1 > /proc/sys/user/max_inotify_watches && exec "$0" "$@"';
const canLimit = spawnSync(NAMESPACE[0]!, [...NAMESPACE.slice(1), 'sh', '-c', LIMITED, 'true']).status === 0;

const NODE = 'plugins/dice/nodes/index.js';
const code = (value: number) =>
  `exports.nodes = [{ type: 'dice:roll', description: 'd', inputs: {}, outputs: {}, run: () => ({ value: ${value} }) }];`;

const itLimited = canLimit ? it : it.skip;
const why = canLimit ? '' : ' (skipped: `unshare --user` is not allowed here)';

itLimited(`A process without free watches polls its library and logs the reason${why}`, async () => {
  const program = [...NAMESPACE, 'sh', '-c', LIMITED, process.execPath];
  const { write, says, hears, end } = followPlugin({ [NODE]: code(1) }, program);
  await hears(/cannot be watched .*ENOSPC.* raise fs\.inotify\.max_user_watches.* every 500 ms/);
  await says({ gives: { value: 1 } });
  write(NODE, code(2));
  await says({ gives: { value: 2 }, problems: [] });
  await end();
});

it('A process survives link cycles, vanishing folders and unreadable folders', async () => {
  const { folder, write, says, end } = followPlugin({ [NODE]: code(1), 'scripts/a/x.py': '' });
  for (const [path, target] of [
    ['scripts/up', '..'],
    ['scripts/a/up', '../..'],
    ['scripts/self', 'self'],
    ['scripts/root', '/'],
    ['scripts/null', '/dev/null'],
  ] as const)
    symlinkSync(target, join(folder, path));
  await says({ gives: { value: 1 }, problems: expect.arrayContaining([expect.stringMatching(/leads back/)]) });
  for (let round = 0; round < 50; round++) {
    mkdirSync(join(folder, 'scripts/gone/deep'), { recursive: true });
    symlinkSync('..', join(folder, 'scripts/gone/deep/up'));
    chmodSync(join(folder, 'scripts/gone/deep'), 0);
    rmSync(join(folder, 'scripts/gone'), { recursive: true });
  }
  write(NODE, code(2));
  await says({ gives: { value: 2 } });
  await end();
});

it('A process starts with link cycles in its library', async () => {
  const links =
    'const fs = require("node:fs"); for (const name of ["up", "again"]) fs.symlinkSync("..", process.argv.at(-1) + "/scripts/" + name);';
  const first = `${JSON.stringify(process.execPath)} -e '${links}' "$@" && exec ${JSON.stringify(process.execPath)} "$@"`;
  const { write, says, end } = followPlugin({ [NODE]: code(1), 'scripts/x.py': '' }, ['sh', '-c', first, 'sh']);
  await says({
    gives: { value: 1 },
    problems: [expect.stringMatching(/leads back/), expect.stringMatching(/leads back/)],
  });
  write(NODE, code(2));
  await says({ gives: { value: 2 } });
  await end();
});
