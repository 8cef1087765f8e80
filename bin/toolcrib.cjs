#!/usr/bin/env node
'use strict';
// The `toolcrib` command: the TypeScript source in a checkout, else what was built from it.
// The npm scripts start it by `exec`: dash, as /bin/sh, would keep signals for npm's child to itself.
const { existsSync } = require('node:fs');
const path = require('node:path');
const { run, warmUp } = require('./node.cjs');

const source = path.join(__dirname, '../src/cli/main.ts');
const built = path.join(__dirname, '../dist/cli/main.js');
const isCheckout = existsSync(source);
if (isCheckout) warmUp(source);
run([isCheckout ? source : built, ...process.argv.slice(2)]);
