// The package `kernloop`: compiled code and its documentation.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { ensureGenerated } from '../../bin/generated.js';
import { root, step, StepError } from '../console.mjs';
import { bundle, bundlePackages, commonOptions } from './bundled.mjs';
import { checkout, kernloopManifest } from './manifests.mjs';
import { notices } from './notices.mjs';

const require = createRequire(import.meta.url);

/** Files and folders besides dist/, with their paths in the repository. */
const parts = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'docs', 'bin/kernloop.js', 'schemas', 'skills'],
  // Built on the user's machine for its LLVM (lib/pgo/plugin.ts).
  ...['native/pgo/pass', 'native/pgo/headers'],
  // Files that Python loads: in the app during a profile or capture, and in the reproducer of a Triton kernel. The
  // package is for a Python without the wheel, whose Triton finds no GPU.
  ...['python/shim', 'python/reproducer', 'python/src/kernloop'],
  'probes',
];

/** Rooms whose data files are read by their compiled code and by Nx; sources are left out. */
const dataRooms = ['executors', 'generators'];
const isTest = (path) => path.endsWith('/test');
const isSource = (path) => /\.([cm]?[jt]s|snap)$|\/public-api\.txt$|__pycache__|\/\.vitepress$/.test(path);

/** Grammars that lib/source reads. */
const grammars = ['tree-sitter-cuda', 'tree-sitter-python'];

export async function stageKernloop(stage) {
  ensureGenerated();
  const compiler = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc');
  const words = ['-p', 'tsconfig.build.json', '--checkers', '1', '--outDir', join(stage, 'dist')];
  await step('compile', 'node', [compiler, ...words]);
  const dist = join(stage, 'dist');
  const modules = await joinWhatStartsOften(dist);
  modules.push(
    ...(await bundlePackages(
      dist,
      filesBelow(dist).filter((file) => file.endsWith('.js')),
    )),
  );
  writeFileSync(join(stage, 'THIRD_PARTY_NOTICES.md'), notices(modules));
  for (const part of parts) {
    cpSync(join(root, part), join(stage, part), {
      recursive: true,
      filter: (path) => part.startsWith('bin/') || !(isSource(path) || (part.startsWith('native/') && isTest(path))),
    });
  }
  for (const room of dataRooms) {
    cpSync(join(root, room), join(stage, room), { recursive: true, filter: (path) => !isSource(path) });
    removeEmptyFolders(join(stage, room));
  }
  for (const grammar of grammars) copyGrammar(grammar, join(stage, 'grammars'));
  for (const file of filesBelow(stage).filter((path) => path.endsWith('.md'))) pointOutside(file, stage);
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(kernloopManifest(), null, 2)}\n`);
}

/** Small packages that nearly every verb loads. */
const joined = ['commander', 'execa', 'fastest-levenshtein', 'jsep', 'smol-toml', 'zod'];

/** Modules of dist/ that Nx loads in the process of a task, as named in executors.json. */
const taskModules = [
  'executors/stage',
  'executors/build/executor',
  'executors/program/executor',
  'executors/capture/batch',
];

/**
 * Joins often-started code into one file each: the command line with the code of tasks, and the code that Nx loads in
 * each of its commands. Finding and reading 250 small files takes longer than the work of most verbs. Large packages,
 * and those that few verbs need, are separate files (bundled.mjs). The API and the generators use the compiled files.
 * Returns the modules in the joined files.
 */
async function joinWhatStartsOften(dist) {
  const parts = taskModules.map((name) => `get '${name}'() { return require('./${name}.js'); }`);
  const commandLine = `exports.main = (...words) => require('./cli/main.js').main(...words);\nexports.parts = { ${parts.join(', ')} };\n`;
  const main = join(dist, 'cli', 'main.js');
  const ofMain = await joinedInto(main, { stdin: { contents: commandLine, resolveDir: dist } });
  for (const name of taskModules) {
    const file = join(dist, `${name}.js`);
    const path = relative(dirname(file), main).split(sep).join('/');
    writeFileSync(file, `'use strict';\nmodule.exports = require('${path}').parts['${name}'];\n`);
  }
  const plugin = join(dist, 'plugins', 'kernel', 'plugin.js');
  const ofPlugin = await joinedInto(plugin, { entryPoints: [plugin] });
  return [...ofMain, ...ofPlugin];
}

async function joinedInto(file, from) {
  const packages = Object.keys({ ...checkout.dependencies, ...checkout.peerDependencies });
  const { metafile } = await bundle({
    ...commonOptions,
    ...from,
    outfile: file,
    allowOverwrite: true,
    external: packages.filter((name) => !joined.includes(name)),
    nodePaths: [join(root, 'node_modules')],
  });
  return Object.keys(metafile.inputs);
}

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();

function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
}

/** Copies only the WebAssembly: the grammar's own package has 40 MB of other forms beside it. */
function copyGrammar(name, folder) {
  const from = dirname(require.resolve(`${name}/package.json`));
  cpSync(join(from, `${name}.wasm`), join(folder, `${name}.wasm`));
  cpSync(join(from, 'LICENSE'), join(folder, `${name}.LICENSE`));
}

/** Redirects links to files that are only in the repository; a broken link is an error. */
function pointOutside(file, stage) {
  const text = readFileSync(file, 'utf8').replaceAll(
    /\]\((?![a-z]+:|#|…)([^)#\s]+)(#[^)\s]*)?\)/g,
    (link, path, anchor = '') => {
      const place = relative(stage, resolve(dirname(file), path));
      if (existsSync(join(stage, place))) return link;
      if (place.startsWith(`..${sep}`) || !existsSync(join(root, place)))
        throw new StepError(`${relative(stage, file)} links to ${path}, which is not there`, 'mend the link');
      return `](${checkout.homepage.replace(/#.*/, '')}/blob/main/${place}${anchor})`;
    },
  );
  writeFileSync(file, text);
}
