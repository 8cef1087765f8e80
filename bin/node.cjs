#!/usr/bin/env node
'use strict';
// `node bin/node.cjs [--dev] [node options] file [arguments]` runs the file on a Node that is new
// enough: this one, else the one that an optional dependency brings. Must itself run on Node 16.
const { spawn, spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const Module = require('node:module');
const os = require('node:os');
const path = require('node:path');

const root = path.join(__dirname, '..');
const [major, minor] = require('../package.json').engines.node.match(/\d+/g).map(Number);

/** Whether a version such as '24.7.0' meets `engines.node` of package.json. */
function isNewEnough(version) {
  const [givenMajor, givenMinor] = version.split('.').map(Number);
  return givenMajor > major || (givenMajor === major && givenMinor >= minor);
}

// Compiled code, and for TypeScript the text without its types, is kept for the next start.
const compileCache = path.join(root, 'node_modules/.cache/toolcrib');

/** Runs `[node options] file [arguments]`; ends with its exit code, or 128 + n for a signal. */
function run(args) {
  if (!isNewEnough(process.versions.node)) spawnNode(packagedNode() ?? fail(nodeNeeded()), args);
  else if (args.length === 0 || args[0].startsWith('-')) spawnNode(process.execPath, args);
  else {
    Module.enableCompileCache(compileCache);
    // In this very process, as its entry point: one process less for signals to pass through.
    process.argv.splice(1, Number.POSITIVE_INFINITY, path.resolve(args[0]), ...args.slice(1));
    Module.runMain();
  }
}

function spawnNode(node, args) {
  const env = { NODE_COMPILE_CACHE: compileCache, ...process.env };
  const child = spawn(node, [...process.execArgv, ...args], { stdio: 'inherit', env });
  // A signal to the whole process group (Ctrl-C) has reached the child already, and npm passes it
  // on to us once more. So wait a moment: only a child that goes on running is told, and once.
  let waiting = false;
  const forward = (signal) => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      child.kill(signal);
    }, 200);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
  child.on('error', (error) => fail(`${error.message}. ${nodeNeeded()}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + os.constants.signals[signal]));
}

function packagedNode() {
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch {
    return undefined;
  }
}

/** Fills the compile cache by a run of its own: type stripping takes 25 MB that a server would keep. */
function warmUp(file) {
  const node = isNewEnough(process.versions.node) ? process.execPath : packagedNode();
  if (node === undefined || existsSync(compileCache)) return;
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
  spawnSync(node, [file, '--version'], { stdio: 'ignore', env });
}

function nodeNeeded() {
  return `Node >= ${major}.${minor} is needed, this is ${process.versions.node}: install it, or run \`npm ci\` without --omit=optional, which brings one on Linux x64 and arm64.`;
}

function checkDevDependencies() {
  const packages = ['typescript', 'fast-check'].map((name) =>
    path.join(root, 'node_modules', name),
  );
  if (packages.every((folder) => existsSync(folder))) return;
  fail(
    'The development dependencies are missing: run `npm ci --include=dev` (NODE_ENV=production leaves them out).',
  );
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (require.main === module) {
  const args = process.argv.slice(2);
  if (args[0] === '--dev') checkDevDependencies();
  run(args[0] === '--dev' ? args.slice(1) : args);
}

module.exports = { isNewEnough, run, warmUp };
