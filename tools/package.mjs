// `npm run package [-- --no-build] [-- --only npm|wheel] [-- --out FOLDER]`: what a release publishes, compiled from source, into dist-packages/:
// the npm packages `kernloop` and `@kernloop/native-<platform>`, the Python wheel, and the archive of tools/bundle.mjs. --no-build takes
// native/build as it is.
import { rmSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { archiveName, makeBundle } from './bundle.mjs';
import { root, runMain, step } from './console.mjs';
import { makePackages } from './packages/make.mjs';
import { makeWheel } from './packages/wheel.mjs';

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      'no-build': { type: 'boolean' },
      only: { type: 'string' },
      out: { type: 'string', default: join(root, 'dist-packages') },
    },
  });
  const out = resolve(values.out);
  if (!values['no-build']) await step('native build', 'npm', ['run', '--silent', 'build:native']);
  rmSync(out, { recursive: true, force: true });
  const packages = values.only === 'wheel' ? [] : await makePackages(out);
  const made = [...packages];
  if (values.only !== 'npm') made.push(await makeWheel(out));
  if (values.only === undefined) made.push(await makeBundle(join(out, archiveName), packages));
  for (const file of made)
    process.stdout.write(`${basename(file)}: ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB\n`);
});
