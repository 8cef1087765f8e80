import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { registerTools } from '../../src/catalogue/register.ts';
import { openFile } from '../../src/store/open-file.ts';
import { openStore } from '../../src/store/store.ts';
import { runCli } from '../cli/run-cli.ts';
import { temporaryFolder } from '../helper.ts';

const PRAGMAS = {
  journal_mode: 'wal',
  synchronous: 2,
  foreign_keys: 1,
  journal_size_limit: 67_108_864,
  busy_timeout: 15,
  application_id: 0x54435242,
};

test('every open, the first and the later ones, makes the same promises', (t) => {
  const folder = temporaryFolder(t);
  for (let open = 0; open < 3; open += 1) {
    const store = openStore(`file:${folder}/new/toolcrib.db`);
    const got = Object.keys(PRAGMAS).map((name) => [
      name,
      store.db.raw.pragma(name, { simple: true }),
    ]);
    store.close();
    assert.deepEqual(Object.fromEntries(got), PRAGMAS);
  }
});

test('the id of a store is made once', (t) => {
  const url = `file:${temporaryFolder(t)}/toolcrib.db`;
  const ids = [openStore(url), openStore(url)].map((store) => {
    store.close();
    return store.nodeId;
  });
  assert.match(ids[0] ?? '', /^[\w-]{22}$/);
  assert.equal(ids[1], ids[0]);
});

/** A closed store with a few hundred pages. */
async function makeStore(folder: string): Promise<string> {
  const file = join(folder, 'toolcrib.db');
  const store = openStore(`file:${file}`);
  const tools = Array.from({ length: 100 }, (_, i) => ({
    name: `tool_${i}`,
    description: 'x'.repeat(4_000),
  }));
  await registerTools(store, tools);
  store.close();
  return file;
}

const UNUSABLE: [string, (file: string, folder: string) => Promise<void> | void, string][] = [
  ['a text file', (file) => writeFileSync(file, 'hello\n'.repeat(200)), 'is not a SQLite database'],
  ['a short text file', (file) => writeFileSync(file, 'SQLite'), 'is not a SQLite database'],
  [
    "another program's database",
    (file) => {
      const db = new Database(file);
      db.exec('create table notes (text); insert into notes values (1)');
      db.close();
    },
    'is not a Toolcrib database',
  ],
  [
    "another program's database after a crash, its journal still there",
    (file, folder) => {
      const db = new Database(join(folder, 'live.db'));
      db.pragma('journal_mode = wal');
      db.exec('create table notes (text); insert into notes values (1)');
      for (const end of ['', '-wal']) copyFileSync(join(folder, `live.db${end}`), file + end);
      db.close();
    },
    'is not a Toolcrib database',
  ],
  [
    'a truncated file',
    async (_file, folder) => truncateSync(await makeStore(folder), 200_704),
    'is damaged',
  ],
  [
    'a file with a ruined first page',
    async (_file, folder) => {
      const made = await makeStore(folder);
      const bytes = readFileSync(made);
      writeFileSync(made, bytes.fill(0xff, 100, 4_096));
    },
    'is damaged',
  ],
  ['a folder', (file) => mkdirSync(file), 'is a folder'],
];

for (const [what, make, reason] of UNUSABLE) {
  test(`${what} is refused in one line and stays as it is`, async (t) => {
    const folder = temporaryFolder(t);
    const file = join(folder, 'toolcrib.db');
    await make(file, folder);
    const before = hashes(folder);
    assert.throws(
      () => openStore(`file:${file}`),
      (error: Error) => {
        assert.match(error.message, /^Cannot use the database [^\n]+$/);
        assert.ok(error.message.includes(`${file}: it ${reason}`), error.message);
        return true;
      },
    );
    assert.deepEqual(hashes(folder), before);
  });
}

test('a start on a file that cannot be used ends with its one line', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'toolcrib.db');
  writeFileSync(file, 'hello\n'.repeat(200));
  assert.deepEqual(await runCli(folder, ['serve']), {
    code: 1,
    stdout: '',
    stderr: `toolcrib: Cannot use the database ${file}: it is not a SQLite database\n`,
  });
});

test('a folder that may not be written is one line, with and without a file in it', async (t) => {
  const folder = temporaryFolder(t);
  const file = await makeStore(folder);
  const before = hashes(folder);
  chmodSync(folder, 0o555);
  for (const path of [file, join(folder, 'new.db')]) {
    asNobody(() =>
      assert.throws(() => openStore(`file:${path}`), {
        message:
          /^Cannot use the database \S+: it or its folder cannot be written by user \d+ \(\w+\)$/,
      }),
    );
  }
  chmodSync(folder, 0o755);
  assert.deepEqual(hashes(folder), before);
});

/** Root may write everywhere, so it becomes someone else meanwhile. */
function asNobody<Result>(work: () => Result): Result {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}

test('as it is, a file is neither made nor migrated', (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'toolcrib.db');
  assert.throws(() => openFile(file, { asIs: true }), /toolcrib\.db: it does not exist$/);
  assert.deepEqual(readdirSync(folder), []);
  const db = new Database(file);
  db.pragma(`application_id = ${PRAGMAS.application_id}`);
  db.close();
  const raw = openFile(file, { asIs: true });
  t.after(() => raw.close());
  assert.deepEqual(raw.prepare('select name from sqlite_schema').all(), []);
});

function hashes(folder: string): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ name }) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );
}
