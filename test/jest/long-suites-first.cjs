/**
 * The order of suites. A long suite that begins late keeps one worker busy while the others have nothing left. Jest orders suites by their
 * last duration, which a new machine does not know, and then by the size of their files. Here whole flows come first, then suites with real
 * services, then the rest.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

/** The suites that take longer than others of their kind. Each is a single long test or drives a browser. */
const LONGEST = ['/every-page.e2e-spec.ts', '/cost.e2e-spec.ts', '/drills.e2e-spec.ts'];
const KINDS = ['.e2e-spec.', '.int-spec.', '.spec.'];

const placeOf = ({ path }) => {
  const place = LONGEST.findIndex((end) => path.endsWith(end));
  return place === -1 ? LONGEST.length + KINDS.findIndex((kind) => path.includes(kind)) : place;
};

module.exports = class LongSuitesFirst extends Sequencer {
  sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is a method of Jest
    return super.sort(tests).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
};
