// Run it with `node --test test/dice.test.js`; nothing needs to be installed.
const assert = require('node:assert/strict');
const { test } = require('node:test');
const { nodes } = require('../nodes/index.js');

const [roll] = nodes;

/** Runs the node as Errand does: the inputs are complete and can't be changed. */
function rolled(inputs) {
  return roll.run(Object.freeze(inputs), { log: () => {} });
}

test('every die shows one of its sides', () => {
  const { rolls, sum } = rolled({ count: 100, sides: 6 });
  assert.equal(rolls.length, 100);
  assert.ok(rolls.every((value) => Number.isInteger(value) && value >= 1 && value <= 6));
  assert.equal(
    sum,
    rolls.reduce((total, value) => total + value, 0),
  );
});

test('the same seed gives the same rolls', () => {
  assert.deepEqual(rolled({ count: 5, sides: 20, seed: 'x' }), rolled({ count: 5, sides: 20, seed: 'x' }));
  assert.notDeepEqual(rolled({ count: 9, sides: 999, seed: 'x' }), rolled({ count: 9, sides: 999, seed: 'y' }));
});
