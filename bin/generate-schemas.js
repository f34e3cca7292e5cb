// `npm run schemas`: writes what is generated from the schemas. --packaged: only what git ignores (generated.js).
'use strict';
const { existsSync, readdirSync, readFileSync, rmSync } = require('node:fs');
const { join, relative } = require('node:path');

require('./source');
const { digestsOf, stampFile } = require('./generated');
const { committedFiles, packagedFiles } = require('../schemas/generate.ts');
const { writeFileAtomic, writeJson } = require('../lib/support/files.ts');

const root = join(__dirname, '..');
const packaged = packagedFiles();
const committed = process.argv.includes('--packaged') ? new Map() : committedFiles();
// Digests of what was loaded, before anything is written. The lock file stands for the packages.
const loaded = Object.keys(require.cache).map((path) => relative(root, path));
const isOurs = (path) => !/^\.\.|(^|\/)node_modules\//.test(path);
const sources = digestsOf([...loaded.filter(isOurs), 'package.json', 'package-lock.json']);

for (const [name, content] of [...committed, ...packaged]) {
  const path = join(root, name);
  if (!existsSync(path) || readFileSync(path, 'utf8') !== content) writeFileAtomic(path, content);
  console.log(name);
}

/** Schemas of stages that are no longer there. */
const published = [
  ...readdirSync(join(root, 'executors')).map((name) => `executors/${name}/schema.json`),
  ...readdirSync(join(root, 'schemas', 'output')).map((name) => `schemas/output/${name}`),
];
for (const path of published) if (!packaged.has(path) && existsSync(join(root, path))) rmSync(join(root, path));

writeJson(stampFile, { sources, files: digestsOf(packaged.keys()) });
