import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '../helper.ts';
import { type Running, start } from './processes.ts';
import { ROOT, runProgram } from './tools.ts';

const TAG = 'toolcrib-deploy-test';

/** What builds and runs images where there is no Docker engine: `tool DIR TAG`, `tool TAG … --`. */
const BUILD = process.env['TOOLCRIB_BUILD_IMAGE'];
const RUN = process.env['TOOLCRIB_RUN_IMAGE'];
const hasEngine = spawnSync('docker', ['version', '--format', '{{.Server.Version}}']).status === 0;
const hasStandIn = BUILD !== undefined && RUN !== undefined && process.getuid?.() === 0;

export const noImages: string | false =
  !hasEngine &&
  !hasStandIn &&
  'needs a Docker engine, or root with TOOLCRIB_BUILD_IMAGE and TOOLCRIB_RUN_IMAGE';

interface Settings {
  env?: Record<string, string>;
  /** A folder of this machine as /data; without one, the image's own volume. */
  volume?: string;
  /** What runs instead of the image's command. */
  command?: string[];
}

export interface Image {
  /** Runs a container as the image's user, on this machine's network, with a read-only root. */
  start: (t: TestContext, settings: Settings) => Running;
  /** Like `start`, to its end. */
  run: (settings: Settings) => { status: number | null; output: string };
  /** Sends SIGTERM to the first process of a container. */
  terminate: (running: Running) => void;
  /** Bytes of the image's layers above those of its base. */
  ownBytes: () => number;
}

/** Builds the Dockerfile as it is. */
export function buildImage(t: TestContext): Image {
  return hasEngine ? buildByEngine() : buildByStandIn(t);
}

function buildByEngine(): Image {
  runProgram('docker', ['build', '--tag', TAG, ROOT]);
  const args = ({ env = {}, volume, command = [] }: Settings) => [
    ...['run', '--rm', '--read-only', '--network', 'host'],
    ...(volume === undefined ? [] : ['--volume', `${volume}:/data`]),
    ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...(command.length > 0 ? ['--entrypoint', command[0] ?? ''] : []),
    ...[TAG, ...command.slice(1)],
  ];
  const size = (image: string) =>
    Number(runProgram('docker', ['image', 'inspect', '--format', '{{.Size}}', image]));
  return {
    start: (t, settings) => start(t, 'docker', args(settings)),
    run: (settings) => finish('docker', args(settings)),
    terminate: ({ child }) => child.kill('SIGTERM'),
    ownBytes: () => size(TAG) - size(fromDockerfile(/^FROM (\S+)$/m)),
  };
}

/**
 * The image's files, taken out of it by the stand-in, are run in namespaces of their own: the
 * command is process 1, the root is read-only, and nothing of the environment comes in.
 */
function buildByStandIn(t: TestContext): Image {
  if (BUILD === undefined || RUN === undefined) throw new Error('no stand-in');
  // It has npm of its own to run, which this project's settings (.npmrc), passed on by npm, are not for.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')),
  );
  runProgram(BUILD, [ROOT, TAG], { env });
  const root = temporaryFolder(t);
  const pack =
    'env >/tmp/env; tar -c --one-file-system --exclude=./root --exclude=./var/cache --ignore-failed-read -C / . 2>/dev/null';
  execFileSync('bash', [
    '-c',
    '"$1" "$2" -- sh -c "$3" | tar -x -C "$4"',
    '-',
    RUN,
    TAG,
    pack,
    root,
  ]);
  const ofImage = readFileSync(join(root, 'tmp/env'), 'utf8').trim().split('\n');
  const user = fromDockerfile(/^USER (\S+)$/m);
  const command = [
    ...(JSON.parse(fromDockerfile(/^ENTRYPOINT (.*)$/m)) as string[]),
    ...(JSON.parse(fromDockerfile(/^CMD (.*)$/m)) as string[]),
  ];
  const args = (settings: Settings) => [
    ...['--mount', '--pid', '--fork', '--kill-child', 'bash', '-ec'],
    `root=$1 volume=$2 user=$3; shift 3
    mount --bind "$root" "$root"
    mount -o remount,bind,ro "$root"
    mount --bind "$volume" "$root/data"
    mount -t proc proc "$root/proc"
    exec chroot --userspec="$user" "$root" env -i -C /app "$@"`,
    ...['-', root, settings.volume ?? join(root, 'data'), user, ...ofImage],
    ...Object.entries(settings.env ?? {}).map(([name, value]) => `${name}=${value}`),
    ...(settings.command ?? command),
  ];
  return {
    start: (t, settings) => start(t, 'unshare', args(settings)),
    run: (settings) => finish('unshare', args(settings)),
    terminate({ child: { pid } }) {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
      process.kill(Number(children), 'SIGTERM');
    },
    ownBytes: () => Number.parseInt(runProgram('du', ['-sb', join(root, 'app')]), 10),
  };
}

/** Starts the image by its own command and in the stand-in's own way, which knows no volume here. */
export function startByStandIn(t: TestContext, env: Record<string, string>): Running | undefined {
  if (hasEngine || RUN === undefined) return undefined;
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  return start(t, RUN, [TAG, ...variables, '--']);
}

function finish(file: string, args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', timeout: 30_000 });
  return { status, output: `${stdout}${stderr}` };
}

/** The first group of what the Dockerfile says. */
export function fromDockerfile(pattern: RegExp): string {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`The Dockerfile has no ${pattern}`);
  return found;
}
