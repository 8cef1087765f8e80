// `npm run check`: everything that a change must pass. Prints a line per step; the steps are npm
// scripts, so that each can be run alone. The tests run when the other steps found no fault.
import { spawn } from 'node:child_process';

const npm = process.env['npm_execpath'];
if (npm === undefined) throw new Error('Run this as `npm run check`');

const checks = ['types', 'lint', 'knip', 'lint:openapi'];
const passed = await Promise.all(checks.map((name) => runStep(npm, name, 'capture')));
if (passed.includes(false) || !(await runStep(npm, 'test', 'show'))) process.exitCode = 1;

/** Runs one npm script; `capture` shows its output only when it fails. */
async function runStep(npmFile: string, name: string, output: 'capture' | 'show') {
  const start = performance.now();
  const child = spawn(process.execPath, [npmFile, 'run', '--silent', name], {
    stdio: [
      'ignore',
      output === 'show' ? 'inherit' : 'pipe',
      output === 'show' ? 'inherit' : 'pipe',
    ],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const exitCode = await new Promise((resolve) => child.on('close', resolve));
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${exitCode === 0 ? 'ok    ' : 'FAULT '} ${name} (${seconds} s)`);
  if (exitCode !== 0) process.stdout.write(Buffer.concat(chunks));
  return exitCode === 0;
}
