// Plain CommonJS, loaded without a build step. An ES module with `export const nodes = [...]` works as well.
const { createHash, randomInt } = require('node:crypto');

/** One die: from the seed, or else from the random source of the system. */
function rollDie(sides, seed, index) {
  if (seed === undefined) return randomInt(1, sides + 1);
  const digest = createHash('sha256').update(`${seed}/${index}`).digest();
  return (digest.readUInt32BE(0) % sides) + 1;
}

/**
 * @typedef {object} Context The services for a node while it runs.
 * @property {AbortSignal} signal fires on cancel and on time-out
 * @property {(line: string) => void} log writes a line to the log
 * @property {(value: number, message?: string) => void} progress from 0 to 1
 */

const roll = {
  type: 'dice:roll',
  displayName: 'Roll dice',
  description: 'Rolls one or more dice. The same seed gives the same rolls.',
  // It changes nothing outside, so that Errand may run it again after a crash.
  effects: 'none',
  inputs: {
    count: { dataFlowType: 'INTEGER', description: 'How many dice', min: 1, max: 100, config: { default: 1 } },
    sides: {
      dataFlowType: 'INTEGER',
      description: 'How many sides each has',
      min: 2,
      max: 1000,
      config: { default: 6 },
    },
    seed: { dataFlowType: 'STRING', description: 'Any text; without it, each call gives new rolls' },
  },
  outputs: {
    rolls: { dataFlowType: 'ARRAY', description: 'The result of each die' },
    sum: { dataFlowType: 'INTEGER', description: 'The sum of all dice' },
  },
  /**
   * @param {{ count: number, sides: number, seed?: string }} inputs complete and checked against the slots
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
