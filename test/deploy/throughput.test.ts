import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BASE, basic } from '../helper.ts';
import { PASSWORD, type Running, startGateway, startServer, USER } from './processes.ts';
import { ROOT, runProgram, without } from './tools.ts';

/** Where the figures are written when this is set, from the project's folder. */
const FIGURES = process.env['DEPLOY_FIGURES'];
/** Asked where the figures are taken, on a quiet machine. */
const BOUND = 0.4;
/**
 * Elsewhere a busy machine must not fail the test, and the gateway's share falls whenever the server
 * itself becomes quicker: only what costs several times as much, such as a connection or a handshake
 * for each request, is a fault.
 */
const AT_LEAST = FIGURES === undefined ? 0.2 : BOUND;
/** Three undisturbed rounds are enough; so many are tried. */
const ENOUGH = 3;
const ROUNDS = 6;
const SECONDS = 2;
const CONNECTIONS = 32;
/** A round counts when other processes took less than this share of the machine. */
const DISTURBED = 0.15;

interface Load {
  perSecond: number;
  /** Of the machine's processor time: the share of processes that have no part in this. */
  others: number;
  /** Microseconds of CPU time an answer, in each of the processes. */
  cpu: number[];
}

test(`through the gateway with TLS: at least ${AT_LEAST} of the direct throughput`, {
  skip: process.platform === 'linux' ? without('caddy', 'wrk') : 'needs Linux',
}, async (t) => {
  const server = await startServer(t);
  const gateway = await startGateway(t, server.port);
  const direct = () => load(server.origin, [server]);
  const through = () => load(gateway.origin, [server, gateway]);
  direct();
  through();
  const rounds: [Load, Load][] = [];
  const quiet = () => rounds.filter((loads) => loads.every(({ others }) => others < DISTURBED));
  while (rounds.length < ROUNDS && quiet().length < ENOUGH) rounds.push([direct(), through()]);

  const counted = quiet().length > 0 ? quiet() : rounds;
  const best = (side: 0 | 1) => Math.max(...counted.map((round) => round[side].perSecond));
  const cpu = (side: 0 | 1, process: number) =>
    Math.round(Math.min(...counted.map((round) => round[side].cpu[process] ?? 0)));
  const ratio = best(1) / best(0);
  const lines = [
    `${ratio.toFixed(2)} of the direct throughput: ${best(1)} to ${best(0)} answers a second`,
    `CPU time an answer: ${cpu(1, 0)} µs server and ${cpu(1, 1)} µs gateway, to ${cpu(0, 0)} µs server`,
    `${quiet().length} of ${rounds.length} rounds were undisturbed by other processes`,
  ];
  for (const line of lines) t.diagnostic(line);
  if (quiet().length === 0) return t.skip('the machine is busy with other things');
  if (FIGURES !== undefined) writeFileSync(join(ROOT, FIGURES), page(lines));
  assert.ok(ratio >= AT_LEAST, lines.join('; '));
});

/** The hot list of the example tools, over connections kept alive. */
function load(origin: string, processes: Running[]): Load {
  const pids = processes.map(({ child }) => child.pid ?? 0);
  const spent = () => ({
    each: pids.map((pid) => ticks(pid, 14)),
    // wrk is a child that has ended by then.
    children: ticks(process.pid, 16),
    ...machineTicks(),
  });
  const before = spent();
  const output = runProgram('wrk', [
    ...['--threads', '1', '--connections', String(CONNECTIONS), '--duration', `${SECONDS}s`],
    ...['--header', `Authorization: ${basic(USER, PASSWORD)}`, `${origin}${BASE}/tools`],
  ]);
  const after = spent();
  assert.doesNotMatch(output, /Non-2xx|Socket errors/);
  const answers = Number(/(\d+) requests in/.exec(output)?.[1]);
  const each = after.each.map((now, at) => now - (before.each[at] ?? 0));
  const ours = each.reduce((sum, one) => sum + one, after.children - before.children);
  return {
    perSecond: Math.round(Number(/Requests\/sec: +([\d.]+)/.exec(output)?.[1])),
    others: (after.busy - before.busy - ours) / (after.all - before.all),
    cpu: each.map((one) => (one * 1e4) / answers),
  };
}

/** Hundredths of a second of a process: fields 14 and 15 of its stat, of ended children 16 and 17. */
function ticks(pid: number, field: 14 | 16): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Field 2, the name, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[field - 3]) + Number(fields[field - 2]);
}

/** Of all cores, in hundredths of a second. */
function machineTicks(): { all: number; busy: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const times = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const all = times.reduce((sum, time) => sum + time, 0);
  const [, , , idle = 0, waiting = 0] = times;
  return { all, busy: all - idle - waiting };
}

function page(lines: string[]): string {
  return `# Through the gateway

Written by \`DEPLOY_FIGURES=bench/DEPLOY.md npm run test:deploy\`.

${lines.map((line) => `- ${line}`).join('\n')}

Bound: at least ${BOUND}. The hot list (10 of the example tools) over ${CONNECTIONS} connections with HTTP/1.1,
through the compose file's Caddyfile with TLS, and directly, in turns of ${SECONDS} s; the best of the
undisturbed rounds. Server, gateway and load (wrk) share ${cpus().length} cores of
${cpus()[0]?.model}.
`;
}
