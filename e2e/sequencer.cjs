// Starts long files first, so that no worker is left alone with one at the end. Jest knows durations only of files that
// ran before.
const { default: Sequencer } = require('@jest/test-sequencer');
const { basename } = require('node:path');

/** Files by their seconds on two cores. */
const long =
  'triton pgo inputs pipeline races defects loop stranger free-order docs unwritten generators launch ranges moments shared-cache selection triton-source bundle'.split(
    ' ',
  );

const place = ({ path }) => long.indexOf(basename(path).split('.')[0]);
const isLong = (test) => place(test) >= 0;

module.exports = class extends Sequencer {
  sort(tests) {
    const others = super.sort(tests.filter((test) => !isLong(test)));
    return [...tests.filter(isLong).sort((a, b) => place(a) - place(b)), ...others];
  }
};
