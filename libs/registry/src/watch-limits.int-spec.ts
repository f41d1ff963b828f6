import { spawnSync } from 'node:child_process';
import { followPlugin } from '../test/follow-plugin.js';

/** A user namespace has limits of its own, which its root may set. */
const NAMESPACE = ['unshare', '--user', '--map-root-user'];
const LIMITED = 'echo 1 > /proc/sys/user/max_inotify_watches && exec "$0" "$@"';
const canLimit = spawnSync(NAMESPACE[0]!, [...NAMESPACE.slice(1), 'sh', '-c', LIMITED, 'true']).status === 0;

const NODE = 'plugins/dice/nodes/index.js';
const code = (value: number) =>
  `exports.nodes = [{ type: 'dice:roll', description: 'd', inputs: {}, outputs: {}, run: () => ({ value: ${value} }) }];`;

const itLimited = canLimit ? it : it.skip;
const why = canLimit ? '' : ' (skipped: `unshare --user` is not allowed here)';

itLimited(`where the system has no room for watches the files are looked at, and that is said${why}`, async () => {
  const program = [...NAMESPACE, 'sh', '-c', LIMITED, process.execPath];
  const { write, says, hears, end } = followPlugin({ [NODE]: code(1) }, program);
  await hears(/cannot be watched .*ENOSPC.* raise fs\.inotify\.max_user_watches.* every 500 ms/);
  await says({ gives: { value: 1 } });
  write(NODE, code(2));
  await says({ gives: { value: 2 }, problems: [] });
  await end();
});
