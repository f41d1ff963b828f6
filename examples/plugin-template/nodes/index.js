// Plain CommonJS, loaded as it is by every process that runs nodes. An ES module with `export const nodes` works as well.

/**
 * @typedef {object} Context What a node may use while it runs.
 * @property {AbortSignal} signal fires on cancel and on time-out
 * @property {(line: string) => void} log a line for whoever watches
 * @property {(value: number, message?: string) => void} progress from 0 to 1
 */

const repeat = {
  type: 'starter:repeat',
  displayName: 'Repeat',
  description: 'Repeats a text, with blanks between.',
  inputs: {
    text: { dataFlowType: 'STRING', required: true, description: 'What to repeat' },
    times: { dataFlowType: 'INTEGER', description: 'How often it is said', min: 1, max: 100, config: { default: 2 } },
  },
  outputs: {
    text: { dataFlowType: 'STRING', description: 'The text, as often as was asked' },
  },
  /**
   * The inputs fit their slots, and can't be changed. One value for each output; what is thrown fails the node with its message.
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
