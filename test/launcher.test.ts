import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';

const root = path.join(import.meta.dirname, '..');
const launcher = path.join(root, 'bin/node.cjs');
const { isNewEnough } = createRequire(import.meta.url)(launcher) as {
  isNewEnough: (version: string) => boolean;
};

const scratch = mkdtempSync(path.join(tmpdir(), 'toolcrib-launcher-'));
after(() => rmSync(scratch, { recursive: true }));

/** A copy of the launcher that wants the given Node and has no packages but those put there. */
function copyLauncher(name: string, engines: string) {
  const folder = path.join(scratch, name);
  cpSync(path.join(root, 'bin'), path.join(folder, 'bin'), { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ engines: { node: engines } }));
  const bin = path.join(folder, `node_modules/node-${process.platform}-${process.arch}/bin`);
  return { launcher: path.join(folder, 'bin/node.cjs'), bin };
}

function writeScript(name: string, text: string) {
  const file = path.join(scratch, name);
  writeFileSync(file, text);
  return file;
}

function launch(args: string[], node = process.execPath) {
  const { status, stdout, stderr } = spawnSync(node, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const needed = /^Node >= 99\.1 is needed, this is \d+\.\d+\.\d+: install it, or run `npm ci` .*\n$/;

describe('launcher', () => {
  test('takes Node 24.7 and newer', () => {
    for (const version of ['24.7.0', '24.22.3', '25.0.0', '26.12.1', '100.0.0']) {
      assert.equal(isNewEnough(version), true, version);
    }
    for (const version of ['16.20.2', '20.20.2', '22.99.0', '24.6.9', '9.9.9']) {
      assert.equal(isNewEnough(version), false, version);
    }
  });

  test('runs a file in its own process, as the entry point', () => {
    const file = writeScript(
      'entry.mts',
      'console.log(JSON.stringify([import.meta.main, process.ppid, ...process.argv.slice(1)]));',
    );
    const answer = launch([launcher, file, 'a b', '--flag']);
    assert.deepEqual(JSON.parse(answer.stdout), [true, process.pid, file, 'a b', '--flag']);
  });

  test('ends with the exit code of what it ran', () => {
    const file = writeScript('exit.mts', 'process.exit(7);');
    assert.equal(launch([launcher, file]).status, 7);
    assert.equal(launch([launcher, '--no-warnings', file]).status, 7);
  });

  test('ends with 128 + n when a signal ended the program', () => {
    const args = [launcher, '-e', 'process.kill(process.pid, "SIGKILL")'];
    assert.equal(launch(args).status, 137);
  });

  test('takes the packaged Node when the running one is too old', () => {
    const copy = copyLauncher('packaged', '>=99.1');
    mkdirSync(copy.bin, { recursive: true });
    symlinkSync(process.execPath, path.join(copy.bin, 'node'));
    assert.deepEqual(launch([copy.launcher, '-p', '6 * 7']), {
      status: 0,
      stdout: '42\n',
      stderr: '',
    });
  });

  test('says in one line what is needed when there is no fitting Node', () => {
    const answer = launch([copyLauncher('none', '>=99.1').launcher, 'any.ts']);
    assert.match(answer.stderr, needed);
    assert.deepEqual([answer.status, answer.stdout], [1, '']);
  });

  test('says what is needed when the packaged Node cannot start', () => {
    const copy = copyLauncher('broken', '>=99.1');
    mkdirSync(copy.bin, { recursive: true });
    writeFileSync(path.join(copy.bin, 'node'), '#!/no/such/loader\n');
    chmodSync(path.join(copy.bin, 'node'), 0o755);
    const answer = launch([copy.launcher, 'any.ts']);
    assert.match(answer.stderr, /^spawn .*ENOENT\. Node >= 99\.1 is needed.*\n$/);
    assert.equal(answer.status, 1);
  });

  test('with --dev, says in one line that the development dependencies are missing', () => {
    const answer = launch([copyLauncher('production', '>=1.0').launcher, '--dev', '-p', '1']);
    assert.deepEqual(answer, {
      status: 1,
      stdout: '',
      stderr:
        'The development dependencies are missing: run `npm ci --include=dev` (NODE_ENV=production leaves them out).\n',
    });
    assert.equal(launch([launcher, '--dev', '-p', '1']).stdout, '1\n');
  });

  test('runs on an old Node', (context) => {
    const old = findOldNode();
    if (old === undefined) return context.skip('no older Node in PATH');
    assert.match(launch([launcher, '-p', '"v" + 1'], old).stdout, /^v1\n$/);
    const answer = launch([copyLauncher('old', '>=99.1').launcher, 'any.ts'], old);
    assert.match(answer.stderr, needed);
  });
});

const stopOnce = `
const timer = setInterval(() => {}, 1000);
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {
  if (!stopping) console.log(signal);
  stopping = true;
  clearInterval(timer);
});
console.log('ready');
`;

describe('launcher, signals', { skip: process.platform === 'win32' }, () => {
  const file = writeScript('stop-once.mts', stopOnce);
  for (const [layer, options] of [
    ['own process', []],
    ['child process', ['--no-warnings']],
  ] as const) {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      for (const target of ['launcher', 'group'] as const) {
        test(`${signal} to the ${target} stops a program in its ${layer} once`, async () => {
          const command = [process.execPath, launcher, ...options, file];
          assert.deepEqual(await stopWhenReady(command, signal, target === 'group'), {
            code: 0,
            output: `ready\n${signal}\n`,
          });
        });
      }
    }
  }
});

/** Starts a command in a process group of its own, sends the signal once it says `ready`, and waits for its end. */
async function stopWhenReady(command: string[], signal: NodeJS.Signals, toGroup: boolean) {
  const child = spawn(command[0] ?? '', command.slice(1), {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  const { pid } = child;
  assert(pid);
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output === 'ready\n') process.kill(toGroup ? -pid : pid, signal);
  }
  return { code: await closed, output };
}

/** The first Node in PATH that is older than the launcher wants. */
function findOldNode() {
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    try {
      const file = path.join(folder, 'node');
      if (!isNewEnough(execFileSync(file, ['-p', 'process.versions.node'], { encoding: 'utf8' }))) {
        return file;
      }
    } catch {
      // No node in this folder.
    }
  }
  return undefined;
}
