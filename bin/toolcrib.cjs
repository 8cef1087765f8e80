#!/usr/bin/env node
'use strict';
// The `toolcrib` command: the TypeScript source in a checkout, else what was built from it.
const { existsSync } = require('node:fs');
const path = require('node:path');
const { run } = require('./node.cjs');

const source = path.join(__dirname, '../src/cli/main.ts');
const built = path.join(__dirname, '../dist/cli/main.js');
run([existsSync(source) ? source : built, ...process.argv.slice(2)]);
