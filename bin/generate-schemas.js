// `npm run schemas`: writes what is generated from the schemas.
'use strict';
const { mkdirSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

require('./source');
const { generatedFiles } = require('../schemas/generate.ts');

for (const [name, content] of generatedFiles()) {
  const path = join(__dirname, '..', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  console.log(name);
}
