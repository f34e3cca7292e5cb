// Files of the package that git ignores, because the stages decide them: executor schemas, schemas of outputs, the typed client of Python.
// Whoever reads them from a checkout asks here first (Nx through the plugin, tests, packaging, Python), so that none is missing or of an older
// stage. `node bin/generated.js` does the same. A stamp has the digest of each source that decided them, and of each of them.
'use strict';
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const stampFile = join(root, '.kernloop', 'generated.json');

function digestOf(path) {
  try {
    return createHash('sha256')
      .update(readFileSync(join(root, path)))
      .digest('hex');
  } catch {
    return 'none';
  }
}

const digestsOf = (paths) => Object.fromEntries([...paths].sort().map((path) => [path, digestOf(path)]));

/** Files that are not as the stamp has them; undefined without a stamp. */
function changed() {
  let stamp;
  try {
    stamp = JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return undefined;
  }
  const rows = Object.entries({ ...stamp.sources, ...stamp.files });
  return rows.filter(([path, digest]) => digestOf(path) !== digest).map(([path]) => path);
}

/** Writes them if one of them, or a source that decided them, has changed; that fails loudly. */
function ensureGenerated() {
  if (changed()?.length === 0) return;
  const { status, stderr, error } = spawnSync(
    process.execPath,
    [join(__dirname, 'generate-schemas.js'), '--packaged'],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  if (status === 0) return;
  const why = error?.message ?? stderr.trim();
  throw new Error(
    `files of ${root} that the stages decide could not be generated: ${why}\n  → run \`npm run schemas\` there`,
  );
}

module.exports = { digestsOf, ensureGenerated, stampFile };
if (require.main === module) ensureGenerated();
