import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

// The rules of CONTRIBUTING.md that a search can check.

const sources = globSync('src/**/*.ts').map((file) => ({ file, text: readFileSync(file, 'utf8') }));

function filesWith(pattern: RegExp): string[] {
  return sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
}

function outside(files: readonly string[], ...allowed: string[]): string[] {
  return files.filter((file) => !allowed.some((prefix) => file.startsWith(prefix)));
}

test('the environment is read in config.ts only', () => {
  assert.deepEqual(filesWith(/process\.env/), ['src/config.ts']);
});

test('SQL is in the store only', () => {
  const sql = filesWith(/\bsql`|\.prepare\(|sql-template-tag|better-sqlite3/);
  assert.deepEqual(outside(sql, 'src/store/'), []);
});

test('Fastify is at the doors only', () => {
  const users = filesWith(/from '(fastify|@fastify\/)/);
  const mcp = ['src/mcp/routes.ts', 'src/mcp/endpoint.ts'];
  const doors = ['src/app.ts', 'src/server.ts', 'src/http/', 'src/routes/', ...mcp];
  assert.deepEqual(outside(users, ...doors), []);
});

test('the room knows nothing of its doors, the store nothing of the room', () => {
  const doors = /from '\.\.\/(http|routes|cli|mcp)\//;
  const insides = ['src/routes/', 'src/http/', 'src/cli/', 'src/mcp/'];
  assert.deepEqual(outside(filesWith(doors), ...insides), []);
  const stores = sources.filter(({ file }) => file.startsWith('src/store/'));
  assert.deepEqual(
    stores
      .filter(({ text }) => /^import (?!type).*from '\.\.\/catalogue\//m.test(text))
      .map(({ file }) => file),
    [],
  );
});

test('there are no classes but errors, no default exports and no any', () => {
  assert.deepEqual(filesWith(/^export default/m), []);
  assert.deepEqual(filesWith(/: any\b|\bas any\b|<any>/), []);
  const classes = sources.flatMap(({ text }) => text.match(/\bclass \w+ extends \w+/g) ?? []);
  assert.deepEqual(
    classes.filter((line) => !/^class (AppError|ConfigError|CliError) extends Error$/.test(line)),
    [],
  );
});

test('files are short: the median under 80 lines, none over 300', () => {
  const lengths = sources.map(({ text }) => text.split('\n').length).sort((a, b) => a - b);
  assert.ok((lengths[Math.floor(lengths.length / 2)] ?? 0) < 80);
  const long = sources.filter(({ text }) => text.split('\n').length > 300).map(({ file }) => file);
  assert.deepEqual(long, []);
});

test('every production dependency has its reason in CONTRIBUTING.md', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const text = readFileSync('CONTRIBUTING.md', 'utf8');
  const missing = Object.keys(dependencies).filter((name) => !text.includes(`\`${name}\``));
  assert.deepEqual(missing, []);
});
