// Packs the package once, as `npm publish` would, for every workspace of the run.
const { execFileSync } = require('node:child_process');
const { mkdirSync, rmSync } = require('node:fs');
const { join } = require('node:path');

module.exports = () => {
  const root = join(__dirname, '..');
  const stage = join(root, '.kernloop', 'e2e', 'package');
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', stage], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Scripts of the package may print before npm's own JSON.
  const packed = JSON.parse(output.slice(output.indexOf('[\n')));
  execFileSync('tar', ['xzf', join(stage, packed[0].filename), '-C', stage]);
};
