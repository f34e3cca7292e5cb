// What our code takes of npm's packages, as files of our own, one a package: who installs Kernloop gets three packages for two hundred, and one file is
// read sooner than many. Each is loaded by the verbs that need it alone.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { root } from '../console.mjs';
import { checkout, kept } from './manifests.mjs';

const require = createRequire(import.meta.url);

/** What packages read by path, from beside their code. */
const beside = ['web-tree-sitter/web-tree-sitter.wasm'];

const bundled = Object.keys(checkout.dependencies).filter((name) => !kept.includes(name));

/** As compiled code gets a module of a package. */
const call = /\brequire\((["'])([^."'][^"']*)\1\)/g;
const packageOf = (module) => module.split('/', module.startsWith('@') ? 2 : 1).join('/');
const fileOf = (name) => `${name.replace('@', '').replaceAll('/', '-')}.js`;

/** Has the compiled `files` take them from dist/bundled/, which it writes. Gives the modules that went there, as esbuild names them. */
export async function bundlePackages(dist, files) {
  const folder = join(dist, 'bundled');
  /** Of one package, modules that share objects. */
  const modules = new Map();
  for (const file of files) {
    const place = relative(dirname(file), folder).split(sep).join('/');
    const path = place.startsWith('.') ? place : `./${place}`;
    const code = readFileSync(file, 'utf8').replace(call, (words, quote, module) => {
      const name = packageOf(module);
      if (!bundled.includes(name)) return words;
      modules.set(name, (modules.get(name) ?? new Set()).add(module));
      return `require(${quote}${path}/${fileOf(name)}${quote})[${quote}${module}${quote}]`;
    });
    writeFileSync(file, code);
  }
  mkdirSync(folder);
  for (const file of beside) copyFileSync(require.resolve(file), join(folder, basename(file)));
  const inputs = [...modules].map(([name, of]) => bundlePackage(join(folder, fileOf(name)), [...of].sort()));
  return (await Promise.all(inputs)).flat();
}

/** By the name that code asks for: exactly what `require` gives for it. */
async function bundlePackage(outfile, modules) {
  const parts = modules.map((name) => `get '${name}'() { return require('${name}'); }`);
  const { metafile } = await build({
    ...commonOptions,
    stdin: { contents: `module.exports = { ${parts.join(', ')} };`, resolveDir: root },
    outfile,
    // Without it vega draws no images of pixels, which we do not ask for.
    external: ['canvas'],
    alias: {
      // One of the packages that it needs has no licence text.
      'node-fetch': join(root, 'tools', 'packages', 'fetch.cjs'),
      // Its UMD form hands `require` around, which cannot be followed.
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    },
  });
  return Object.keys(metafile.inputs);
}

/** Of zod's messages in 50 languages, those that we ask for: to load the others costs who starts a verb more than zod itself. */
const messagesInEnglish = {
  name: 'messages in English',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.cjs$/ }, () => ({
      contents: "exports.en = require('./en.cjs').default;",
    })),
};

export const commonOptions = {
  metafile: true,
  // Names in the metafile are relative to here.
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // Not identifiers: stack traces name functions, and errors are known by theirs.
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'error',
  plugins: [messagesInEnglish],
};
