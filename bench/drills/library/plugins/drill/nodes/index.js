const { appendFile } = require('node:fs/promises');
const { setTimeout } = require('node:timers/promises');
const { Redis } = require('ioredis');

const { DRILL_LOG, DRILL_JOURNALS, ERRAND_REDIS_URL } = process.env;
let redis;

/** What the journal held before this run of the node began: a result of the node, and results of all its sources. */
async function readJournal(invocationId, nodeId, sources) {
  redis ??= new Redis(ERRAND_REDIS_URL);
  const around = nodeId.slice(0, nodeId.lastIndexOf('/') + 1);
  const fields = [nodeId, ...sources.map((source) => around + source)].map((key) => `0/${key}`);
  const [own, ...needed] = await redis.hmget(`${DRILL_JOURNALS}${invocationId}`, ...fields);
  return { repeated: own !== null, early: needed.includes(null) };
}

function markType(name, effects, longestPauseMs) {
  return {
    type: `drill:${name}`,
    description: 'Adds up its inputs after a random pause, and appends a line to a file, so that runs can be counted.',
    inputs: { parts: { dataFlowType: 'INTEGER', multi: true, description: 'The numbers to add' } },
    outputs: { value: { dataFlowType: 'INTEGER', description: 'One more than the sum, modulo 1,000,003' } },
    config: {
      sources: { type: 'array', items: { type: 'string' }, default: [], description: 'The ids of its sources' },
    },
    ...(effects && { effects }),
    async run({ parts }, { invocationId, nodeId, config }) {
      const found = await readJournal(invocationId, nodeId, config.sources);
      await setTimeout(Math.random() * longestPauseMs);
      const line = { invocationId, nodeId, acts: effects !== 'none', ...found };
      await appendFile(DRILL_LOG, `${JSON.stringify(line)}\n`);
      return { value: parts.reduce((total, part) => (total + part) % 1_000_003, 1) };
    },
  };
}

/** Several nodes without effects end within the 100 ms in which their results may wait to be stored. */
module.exports = {
  nodes: [markType('mark', undefined, 150), markType('act', 'idempotent', 150), markType('pure', 'none', 40)],
};
