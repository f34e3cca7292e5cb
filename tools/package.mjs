// `npm run package [-- --no-build] [-- --only npm|wheel] [-- --out FOLDER]`: compiles the packages of a release from
// source into dist-packages/: the npm packages `kernloop` and `@kernloop/native-<platform>`, the Python wheel, and the
// archive of tools/bundle.mjs. Files that are not rebuilt stay. --no-build takes native/build as it is, and
// --for-tests does so, too, if it is for some processors alone.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { archiveName, makeBundle } from './bundle.mjs';
import { root, runMain, StepError } from './console.mjs';
import { buildForEveryProcessor } from './native.mjs';
import { makePackages } from './packages/make.mjs';
import { makeWheel } from './packages/wheel.mjs';

/**
 * File endings by requested part: files with these endings are removed first, so that none of another version remains.
 */
const endings = { npm: ['.tgz'], wheel: ['.whl'], all: ['.tgz', '.whl', '.tar.xz'] };

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      'no-build': { type: 'boolean' },
      'for-tests': { type: 'boolean', default: false },
      only: { type: 'string', default: 'all' },
      out: { type: 'string', default: join(root, 'dist-packages') },
    },
  });
  const { only } = values;
  if (endings[only] === undefined)
    throw new StepError(`--only ${only} is unknown`, '--only npm, --only wheel, or neither', 2);
  const forTests = values['for-tests'];
  if (forTests && only === 'all')
    throw new StepError('--for-tests makes no release', 'add --only npm or --only wheel', 2);
  const out = resolve(values.out);
  if (!values['no-build'] && !forTests) await buildForEveryProcessor();
  mkdirSync(out, { recursive: true });
  for (const name of readdirSync(out))
    if (endings[only].some((ending) => name.endsWith(ending))) rmSync(join(out, name));
  const packages = only === 'wheel' ? [] : await makePackages(out, { forTests });
  const made = [...packages];
  if (only !== 'npm') made.push(await makeWheel(out, { forTests }));
  if (only === 'all') made.push(await makeBundle(join(out, archiveName), packages));
  for (const file of made)
    process.stdout.write(`${basename(file)}: ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB\n`);
});
