// Plain CommonJS. Every process that runs nodes loads it without a build step. An ES module with `export const nodes` works as well.

/**
 * @typedef {object} Context The services for a node while it runs.
 * @property {AbortSignal} signal fires on cancel and on time-out
 * @property {(line: string) => void} log writes a line to the log
 * @property {(value: number, message?: string) => void} progress from 0 to 1
 */

const repeat = {
  type: 'starter:repeat',
  displayName: 'Repeat',
  description: 'Repeats a text, with blanks in between.',
  // It changes nothing outside, so that Errand may run it again after a crash.
  effects: 'none',
  inputs: {
    text: { dataFlowType: 'STRING', required: true, description: 'The text to repeat' },
    times: {
      dataFlowType: 'INTEGER',
      description: 'The number of repetitions',
      min: 1,
      max: 100,
      config: { default: 2 },
    },
  },
  outputs: {
    text: { dataFlowType: 'STRING', description: 'The repeated text' },
  },
  /**
   * The inputs fit their slots and are read-only. Returns a value for each output. A thrown error fails the node with its message.
   * @param {{ text: string, times: number }} inputs
   * @param {Context} context
   * @returns {{ text: string }}
   */
  run({ text, times }, context) {
    context.log(`saying '${text}' ${times} times`);
    return { text: Array(times).fill(text).join(' ') };
  },
};

module.exports = { nodes: [repeat] };
