#!/usr/bin/env node
// In a checkout the sources run as they are; the published package holds only dist/.
'use strict';
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
if (existsSync(join(root, 'cli', 'main.ts'))) {
  require('./source');
  require('../cli/main.ts').main(process.argv);
} else {
  // Where Node has it (22.8 and newer): what it compiled is found again by the next command.
  require('node:module').enableCompileCache?.();
  require('../dist/cli/main.js').main(process.argv);
}
