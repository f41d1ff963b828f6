const { appendFile } = require('node:fs/promises');
const { setTimeout } = require('node:timers/promises');
const { Redis } = require('ioredis');

const { DRILL_LOG, DRILL_JOURNALS, ERRAND_REDIS_URL } = process.env;
const LONGEST_PAUSE_MS = 150;
let redis;

/** Whether the journal held a result of this node before this run of it began. */
async function wasJournaled(invocationId, nodeId) {
  redis ??= new Redis(ERRAND_REDIS_URL);
  return (await redis.hexists(`${DRILL_JOURNALS}${invocationId}`, `0/${nodeId}`)) === 1;
}

const mark = {
  type: 'drill:mark',
  description: 'Adds up its inputs after a random pause, and appends a line to a file, so that runs can be counted.',
  inputs: { parts: { dataFlowType: 'INTEGER', multi: true, description: 'The numbers to add' } },
  outputs: { value: { dataFlowType: 'INTEGER', description: 'One more than the sum, modulo 1,000,003' } },
  async run({ parts }, { invocationId, nodeId }) {
    const repeated = await wasJournaled(invocationId, nodeId);
    await setTimeout(Math.random() * LONGEST_PAUSE_MS);
    await appendFile(DRILL_LOG, `${JSON.stringify({ invocationId, nodeId, repeated })}\n`);
    return { value: parts.reduce((total, part) => (total + part) % 1_000_003, 1) };
  },
};

module.exports = { nodes: [mark] };
