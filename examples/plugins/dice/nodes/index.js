// Plain CommonJS: it is loaded as it is. An ES module with `export const nodes = [...]` works as well.
const { createHash, randomInt } = require('node:crypto');

/** One die: from the seed, if there is one, else from the system's source of randomness. */
function rollDie(sides, seed, index) {
  if (seed === undefined) return randomInt(1, sides + 1);
  const digest = createHash('sha256').update(`${seed}/${index}`).digest();
  return (digest.readUInt32BE(0) % sides) + 1;
}

/**
 * @typedef {object} Context What a node may use while it runs.
 * @property {AbortSignal} signal fires on cancel and on time-out
 * @property {(line: string) => void} log a line for whoever watches
 * @property {(value: number, message?: string) => void} progress from 0 to 1
 */

const roll = {
  type: 'dice:roll',
  displayName: 'Roll dice',
  description: 'Rolls one or more dice. The same seed gives the same rolls.',
  inputs: {
    count: { dataFlowType: 'INTEGER', description: 'How many dice', min: 1, max: 100, config: { default: 1 } },
    sides: {
      dataFlowType: 'INTEGER',
      description: 'How many sides each has',
      min: 2,
      max: 1000,
      config: { default: 6 },
    },
    seed: { dataFlowType: 'STRING', description: 'Any text; leave it out for new rolls each time' },
  },
  outputs: {
    rolls: { dataFlowType: 'ARRAY', description: 'What each die shows' },
    sum: { dataFlowType: 'INTEGER', description: 'All of them together' },
  },
  /**
   * @param {{ count: number, sides: number, seed?: string }} inputs as the slots say, complete and checked
   * @param {Context} context
   * @returns {{ rolls: number[], sum: number }} a value for each output
   */
  run({ count, sides, seed }, context) {
    const rolls = Array.from({ length: count }, (_item, index) => rollDie(sides, seed, index));
    context.log(`rolled ${count} dice with ${sides} sides`);
    return { rolls, sum: rolls.reduce((sum, value) => sum + value, 0) };
  },
};

module.exports = { nodes: [roll] };
