// What Redis has executed and transferred, as exact counts of its INFO.

/** Commands of this program, which are not part of the work. */
const OWN = new Set(['info']);

async function readOnce(redis) {
  const [commandText, statText] = [await redis.info('commandstats'), await redis.info('stats')];
  let commands = 0;
  for (const [, name, calls] of commandText.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm))
    if (!OWN.has(name)) commands += Number(calls);
  const bytesOf = (field) => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(statText)[1]);
  return { commands, bytes: bytesOf('total_net_input_bytes') + bytesOf('total_net_output_bytes') };
}

/**
 * Counts what happens in Redis while `work` runs: executed commands (also those in scripts) and bytes in both directions. The traffic of
 * the count itself is subtracted.
 */
export async function countRedis(redis, work) {
  const first = await readOnce(redis);
  const before = await readOnce(redis);
  await work();
  const after = await readOnce(redis);
  const ownBytes = before.bytes - first.bytes;
  return { commands: after.commands - before.commands, bytes: after.bytes - before.bytes - ownBytes };
}
