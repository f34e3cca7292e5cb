// Bundles the parts of npm packages that our code uses, one file per package: users install three packages instead of
// two hundred, and one file is read sooner than many. Only verbs that need a bundle load it.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { root } from '../console.mjs';
import { checkout, kept } from './manifests.mjs';

const require = createRequire(import.meta.url);

/** esbuild, which may be installed only after this module is loaded. */
export const bundle = async (options) => await (await import('esbuild')).build(options);

/** Files that packages read by path, from beside their code. */
const beside = ['web-tree-sitter/web-tree-sitter.wasm'];

const bundled = Object.keys(checkout.dependencies).filter((name) => !kept.includes(name));

/** A `require` of a package's module in compiled code. */
const call = /\brequire\((["'])([^."'][^"']*)\1\)/g;
const packageOf = (module) => module.split('/', module.startsWith('@') ? 2 : 1).join('/');
const fileOf = (name) => `${name.replace('@', '').replaceAll('/', '-')}.js`;

/**
 * Makes the compiled `files` load packages from dist/bundled/, which it writes. Returns the bundled modules by
 * esbuild's names.
 */
export async function bundlePackages(dist, files) {
  const folder = join(dist, 'bundled');
  /** Modules of one package go into one file, because they share objects. */
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

/** Exports each module under the name that code requires: exactly what `require` returns for it. */
async function bundlePackage(outfile, modules) {
  const parts = modules.map((name) => `get '${name}'() { return require('${name}'); }`);
  const { metafile } = await bundle({
    ...commonOptions,
    stdin: { contents: `module.exports = { ${parts.join(', ')} };`, resolveDir: root },
    outfile,
    // Without canvas, vega draws no pixel images, which Kernloop does not use.
    external: ['canvas'],
    alias: {
      // A dependency of node-fetch has no licence text.
      'node-fetch': join(root, 'tools', 'packages', 'fetch.cjs'),
      // The UMD form of jsonc-parser passes `require` around, which esbuild cannot follow.
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    },
  });
  return Object.keys(metafile.inputs);
}

/**
 * Keeps only the messages that Kernloop uses of zod's 50 languages: loading the others takes longer than loading zod
 * itself.
 */
const messagesInEnglish = {
  name: 'messages in English',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.cjs$/ }, () => ({
      contents: "exports.en = require('./en.cjs').default;",
    })),
};

export const commonOptions = {
  metafile: true,
  // Names in the metafile are relative to this folder.
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // Identifiers stay: stack traces name functions, and errors are recognized by their names.
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'error',
  plugins: [messagesInEnglish],
};
