// The Redis Cluster of the tests, whose primaries are killed and paused: three primaries, each with a replica.
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';

const require = createRequire(import.meta.url);
createRequire(import.meta.url)('../../test/support/load-typescript.cjs');
const { startCluster: startNodes } = require('../../test/support/start-cluster.ts');

const LOOK_MS = 100;

async function until(look) {
  while (!(await look())) await setTimeout(LOOK_MS);
}

/** Whether each primary has a replica that follows it, and every node knows that. A node that loads the data of its primary is not ready. */
async function isWhole(nodes) {
  const states = await Promise.all(nodes.map(({ admin }) => stateOf(admin).catch(notLoaded)));
  return states.every(Boolean);
}

async function stateOf(admin) {
  const [state, replication, ranges] = await Promise.all([
    admin.cluster('INFO'),
    admin.info('replication'),
    admin.cluster('SLOTS'),
  ]);
  const follows = /connected_slaves:[1-9]|master_link_status:up/.test(replication);
  return follows && state.includes('cluster_state:ok') && ranges.every((range) => range.length > 3);
}

function notLoaded(error) {
  if (error.message.startsWith('LOADING')) return false;
  throw error;
}

/**
 * Starts the Cluster. `kill` kills a primary, or stops it (SIGSTOP) every second time, and resolves when its replica has taken its place.
 * `restart` lets it go on, and resolves when each primary has a replica again. `counts`: how many were killed and paused.
 */
export async function startCluster(random) {
  const { url, nodes, stop } = await startNodes();
  const counts = { killed: 0, paused: 0 };
  let away;

  async function primaries() {
    const ranges = await nodes.find((node) => node !== away).admin.cluster('SLOTS');
    return ranges.map(([, , [, port]]) => nodes.find((node) => node.port === port));
  }

  return {
    url,
    stop,
    counts,
    async kill() {
      const present = await primaries();
      away = present[Math.floor(random() * present.length)];
      const isPause = counts.paused < counts.killed;
      counts[isPause ? 'paused' : 'killed']++;
      if (isPause) away.signal('SIGSTOP');
      else await away.kill();
      await until(async () => !(await primaries()).includes(away));
    },
    async restart() {
      if (away.isAlive) away.signal('SIGCONT');
      else await away.restart();
      away = undefined;
      await until(() => isWhole(nodes));
    },
  };
}
