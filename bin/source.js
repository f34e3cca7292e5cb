// Lets a checkout require its own TypeScript, whatever the working directory.
'use strict';
const { join } = require('node:path');

const before = process.env.TS_NODE_PROJECT;
process.env.TS_NODE_PROJECT = join(__dirname, '..', 'tsconfig.base.json');
require('@swc-node/register');
// Programs started later must not inherit it.
if (before === undefined) delete process.env.TS_NODE_PROJECT;
else process.env.TS_NODE_PROJECT = before;
