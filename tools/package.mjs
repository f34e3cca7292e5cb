// `npm run package [-- --no-build] [-- --only npm|wheel] [-- --out FOLDER]`: what a release publishes, compiled from source, into dist-packages/:
// the npm packages `kernloop` and `@kernloop/native-<platform>`, the Python wheel, and the archive of tools/bundle.mjs. What is not made stays
// as it lies there. --no-build takes native/build as it is.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { archiveName, makeBundle } from './bundle.mjs';
import { root, runMain, StepError } from './console.mjs';
import { buildForEveryProcessor } from './native.mjs';
import { makePackages } from './packages/make.mjs';
import { makeWheel } from './packages/wheel.mjs';

/** By what is asked for: the endings of what is made, of which none of another version may stay beside it. */
const endings = { npm: ['.tgz'], wheel: ['.whl'], all: ['.tgz', '.whl', '.tar.xz'] };

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      'no-build': { type: 'boolean' },
      only: { type: 'string', default: 'all' },
      out: { type: 'string', default: join(root, 'dist-packages') },
    },
  });
  const { only } = values;
  if (endings[only] === undefined)
    throw new StepError(`--only ${only} is unknown`, '--only npm, --only wheel, or neither', 2);
  const out = resolve(values.out);
  if (!values['no-build']) await buildForEveryProcessor();
  mkdirSync(out, { recursive: true });
  for (const name of readdirSync(out))
    if (endings[only].some((ending) => name.endsWith(ending))) rmSync(join(out, name));
  const packages = only === 'wheel' ? [] : await makePackages(out);
  const made = [...packages];
  if (only !== 'npm') made.push(await makeWheel(out));
  if (only === 'all') made.push(await makeBundle(join(out, archiveName), packages));
  for (const file of made)
    process.stdout.write(`${basename(file)}: ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB\n`);
});
