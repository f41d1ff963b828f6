// Run it with `node --test test/plugin.test.js`; nothing needs to be installed.
const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { test } = require('node:test');
const { nodes } = require('../nodes/index.js');

/** Runs a node of this plugin as Errand does, and keeps what it logs. */
function run(type, inputs) {
  const lines = [];
  const context = { signal: new AbortController().signal, log: (line) => lines.push(line), progress: () => {} };
  const node = nodes.find((candidate) => candidate.type === type);
  return { outputs: node.run(Object.freeze(inputs), context), lines };
}

test('repeat says a text as often as it is asked', () => {
  assert.deepEqual(run('starter:repeat', { text: 'hip', times: 3 }).outputs, { text: 'hip hip hip' });
});

test('repeat logs what it does', () => {
  assert.match(run('starter:repeat', { text: 'hip', times: 2 }).lines[0], /2 times/);
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

test('count-words counts', { skip: !hasPython && 'there is no python3 here; the sandbox has one' }, () => {
  const script = join(__dirname, '../scripts/count_words.py');
  const { stdout } = spawnSync('python3', [script], { input: JSON.stringify({ text: 'to be or nothing' }) });
  assert.deepEqual(JSON.parse(stdout), { words: 4, longest: 'nothing' });
});
