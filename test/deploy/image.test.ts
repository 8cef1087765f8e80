import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../helper.ts';
import { buildImage, fromDockerfile, noImages, startByStandIn } from './image.ts';
import { startLoad } from './load.ts';
import { isReady, PASSWORD, type Running, USER, until } from './processes.ts';
import { freePort, ROOT } from './tools.ts';

const MAX_OWN_BYTES = 90 * 1024 * 1024;
// Two seconds where figures are taken; elsewhere a busy machine must not fail the test.
const MAX_START_MS = process.env['DEPLOY_FIGURES'] === undefined ? 10_000 : 2_000;
const MAX_STOP_MS = 5_000;
const STOPS = 20;
/** The user of the base image. */
const UID = 1000;
const HEALTHCHECK = JSON.parse(fromDockerfile(/^HEALTHCHECK .*CMD (\[.*\])$/m)) as string[];

test('the image', { skip: noImages, timeout: 300_000 }, async (t) => {
  const image = buildImage(t);
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

  /** A folder as a new volume has it: owned by the image's user. */
  function newVolume(): string {
    const volume = join(temporaryFolder(t), 'data');
    mkdirSync(volume);
    chownSync(volume, UID, UID);
    return volume;
  }

  const settings = async () => {
    const port = await freePort();
    const env = {
      TOOLCRIB_PORT: String(port),
      TOOLCRIB_ADMIN_USER: USER,
      TOOLCRIB_ADMIN_PASSWORD: PASSWORD,
    };
    return { env, port, origin: `http://127.0.0.1:${port}` };
  };

  await t.test('its own layers are at most 90 MB', (t) => {
    const bytes = image.ownBytes();
    t.diagnostic(`${(bytes / 1024 / 1024).toFixed(1)} MB`);
    assert.ok(bytes <= MAX_OWN_BYTES);
  });

  await t.test('it is labelled with the version of package.json', () => {
    assert.equal(fromDockerfile(/image\.version="(.*)"/), manifest.version);
  });

  await t.test('there is no compiler, shell tool, dev or optional package in it', () => {
    const look = (command: string) => image.run({ command: ['sh', '-c', command] }).output;
    const programs = 'gcc cc g++ make python3 curl git tsc';
    assert.equal(look(`for each in ${programs}; do command -v $each; done`), '');
    const packages = look('cd node_modules; ls -d * @*/*').trim().split('\n');
    for (const name of Object.keys(manifest.dependencies)) assert.ok(packages.includes(name), name);
    const { jose: _used, ...binaries } = manifest.optionalDependencies;
    const others = { ...manifest.devDependencies, ...binaries };
    assert.deepEqual(
      packages.filter((name) => name in others),
      [],
    );
    assert.equal(look('ls src'), "ls: cannot access 'src': No such file or directory\n");
    const arch = process.arch;
    assert.equal(look('ls node_modules/better-sqlite3/prebuilds'), `linux-${arch}.node\n`);
  });

  await t.test('it runs as a user who may change nothing but /data', () => {
    const command = (text: string) => ({ command: ['sh', '-c', text], volume: newVolume() });
    assert.equal(image.run(command('id -u')).output, `${UID}\n`);
    const owned =
      'find / -xdev -path /proc -prune -o -path /data -prune -o -path /tmp -prune -o -user node -print';
    assert.equal(image.run(command(owned)).output.replace('/home/node\n', ''), '');
    assert.match(image.run(command('echo >/app/new')).output, /Read-only file system/);
    assert.equal(image.run(command('echo >/data/new')).status, 0);
  });

  await t.test(
    'it starts soon on a read-only root, healthy, and toolcrib works in it',
    async (t) => {
      const { env, origin } = await settings();
      const volume = newVolume();
      const started = performance.now();
      const running = image.start(t, { env, volume });
      await until(() => isReady(origin), running);
      const ms = performance.now() - started;
      t.diagnostic(`ready after ${Math.round(ms)} ms`);
      assert.ok(ms <= MAX_START_MS, `${ms} ms`);

      assert.equal(image.run({ env, command: HEALTHCHECK }).status, 0);
      const users = image.run({ volume, command: ['toolcrib', 'user', 'list'] });
      assert.match(users.output, new RegExp(USER));
      assert.equal(users.status, 0);
      const backup = image.run({ volume, command: ['toolcrib', 'backup', '/data/backup.db'] });
      assert.match(backup.output, /checked/);
      assert.ok(readdirSync(volume).includes('backup.db'));

      image.terminate(running);
      await assertClean(running);
      assert.equal(image.run({ env, command: HEALTHCHECK }).status, 1);
    },
  );

  await t.test('a volume that it cannot use is one line and an end', async () => {
    const { env } = await settings();
    const foreign = newVolume();
    chownSync(foreign, 0, 0);
    const readOnly = newVolume();
    chmodSync(readOnly, 0o500);
    chownSync(readOnly, UID + 1, UID);
    for (const volume of [foreign, readOnly]) {
      const { status, output } = image.run({ env, volume });
      assert.match(
        output,
        /^toolcrib: Cannot use the database \/data\/toolcrib\.db: .* by user 1000\b.*\n$/,
      );
      assert.equal(status, 1);
    }
  });

  await t.test(`SIGTERM under load: ${STOPS} of ${STOPS} clean within 5 s`, async (t) => {
    const times: number[] = [];
    for (let round = 0; round < STOPS; round++) {
      const { env, port, origin } = await settings();
      const running = image.start(t, { env, volume: newVolume() });
      await until(() => isReady(origin), running);
      const load = await startLoad(port);
      const started = performance.now();
      image.terminate(running);
      const statuses = await load.finishSlow();
      assert.deepEqual(new Set(statuses), new Set([201]));
      await assertClean(running);
      times.push(performance.now() - started);
      assert.equal((await load.quick).cut, 0);
    }
    const slowest = Math.max(...times);
    t.diagnostic(`slowest of ${STOPS} stops: ${Math.round(slowest)} ms`);
    assert.ok(slowest <= MAX_STOP_MS);
  });

  await t.test('it starts by its own command, and stops, where the stand-in runs it', async (t) => {
    const { env, origin } = await settings();
    const running = startByStandIn(t, env);
    if (running === undefined) return t.skip('there is a Docker engine');
    await until(() => isReady(origin), running);
    const pid = Number(/"pid":(\d+)/.exec(running.output())?.[1]);
    assert.match(
      readFileSync(`/proc/${pid}/status`, 'utf8'),
      new RegExp(`^Uid:\\s+${UID}\\s`, 'm'),
    );
    process.kill(pid, 'SIGTERM');
    await assertClean(running);
  });
});

async function assertClean({ child, output }: Running): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  assert.deepEqual([child.exitCode, child.signalCode], [0, null], output());
}
