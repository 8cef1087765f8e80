import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { createAuthenticator } from '../../src/auth/authenticator.ts';
import type { Scope } from '../../src/auth/authorize.ts';
import { followUsers } from '../../src/auth/follow-users.ts';
import { removeUser } from '../../src/auth/remove-user.ts';
import { setScopes } from '../../src/auth/users.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import type { UserRecord } from '../../src/store/users.ts';
import { temporaryFolder } from '../helper.ts';
import { cheapHash } from './cheap-hash.ts';
import { argon2, basic, HERE } from './set-up-authenticator.ts';

/** A server's side of sign-in, and the same file opened by another process. */
function setUp(t: TestContext) {
  const url = `file:${join(temporaryFolder(t), 'toolcrib.db')}`;
  const store = openStore(url);
  const other = openStore(url);
  t.after(() => {
    store.close();
    other.close();
  });
  const authenticator = createAuthenticator({ findUser: (name) => store.users.get(name) });
  let gate = Promise.resolve();
  const users = {
    ...store.users,
    async list() {
      const list = await store.users.list();
      await gate;
      return list;
    },
  };
  const follow = followUsers({ users, versions: () => store.versions() }, authenticator);
  argon2.mock.resetCalls();
  return {
    store,
    other,
    follow,
    /** What a request does; the scopes, or the error's type. */
    async signIn(name: string, password = 'password'): Promise<string> {
      await nextTurn();
      await follow();
      return authenticator.authenticate(basic(name, password), HERE).then(
        ({ scopes }) => scopes.join(),
        (error) => error.type,
      );
    },
    hashes: () => argon2.mock.callCount(),
    /** From now on a list that was read is handed out only when the returned function is called. */
    holdLists(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

let created = 0;

async function put(store: Store, name: string, scopes: Scope[] = ['tools:read']): Promise<void> {
  created += 1;
  const id = `usr-${created}`;
  const user: UserRecord = {
    id,
    name,
    password_hash: cheapHash('password'),
    scopes,
    created_at: created,
    updated_at: created,
  };
  await store.users.change(() => ({ put: user, result: undefined }));
}

async function setHash(store: Store, name: string, password: string): Promise<void> {
  await store.users.change((users) => {
    const user = users.find((each) => each.name === name);
    assert(user);
    const updated_at = user.updated_at + 1;
    return { put: { ...user, password_hash: cheapHash(password), updated_at }, result: undefined };
  });
}

test('a change of one user lets the others go on without a hash', async (t) => {
  const { store, other, signIn, hashes } = setUp(t);
  await put(store, 'ada');
  await put(store, 'bob');
  await signIn('ada');
  await signIn('bob');
  assert.equal(hashes(), 2);
  for (const change of [
    () => put(other, 'new'),
    () => setScopes(other, 'bob', ['admin']),
    () => setHash(other, 'bob', 'another'),
    () => removeUser(other, 'new'),
  ]) {
    await change();
    assert.equal(await signIn('ada'), 'tools:read');
  }
  assert.equal(hashes(), 2);
});

test('a change by another process counts from the next request on', async (t) => {
  const { store, other, signIn } = setUp(t);
  await put(store, 'ada');
  await put(store, 'bob', ['admin']);
  assert.equal(await signIn('ada'), 'tools:read');
  await setScopes(other, 'ada', ['tools:write']);
  assert.equal(await signIn('ada'), 'tools:write');
  await setHash(other, 'ada', 'another');
  assert.equal(await signIn('ada'), 'AuthenticationError');
  assert.equal(await signIn('ada', 'another'), 'tools:write');
  await removeUser(other, 'ada');
  assert.equal(await signIn('ada', 'another'), 'AuthenticationError');
  await put(other, 'ada');
  assert.equal(await signIn('ada'), 'tools:read');
});

test('a request that comes while the users are read is not let in by what was kept', async (t) => {
  const { store, other, signIn, holdLists } = setUp(t);
  await put(store, 'ada');
  await put(store, 'bob');
  await signIn('ada');
  await signIn('bob');
  const release = holdLists();
  await setScopes(other, 'bob', ['tools:write']);
  const outcomes: string[] = [];
  const early = signIn('bob').then((scopes) => outcomes.push(scopes));
  await nextTurn();
  await nextTurn();
  // The list that is being handed out does not have this change any more.
  await setScopes(other, 'ada', []);
  const late = signIn('ada').then((scopes) => outcomes.push(scopes));
  await nextTurn();
  await nextTurn();
  assert.deepEqual(outcomes, []);
  release();
  await Promise.all([early, late]);
  assert.deepEqual(outcomes.sort(), ['', 'tools:write']);
});

test('scopes that were changed and changed back between two looks are not taken for untouched', async (t) => {
  const { store, other, follow, signIn } = setUp(t);
  await put(store, 'ada');
  await follow();
  await setScopes(other, 'ada', ['tools:write']);
  // This sign-in reads the user after the look, as a slow one would.
  const authenticator = createAuthenticator({ findUser: (name) => store.users.get(name) });
  const late = followUsers(store, authenticator);
  await late();
  await setScopes(other, 'ada', []);
  const { scopes } = await authenticator.authenticate(basic('ada', 'password'), HERE);
  assert.deepEqual(scopes, []);
  await setScopes(other, 'ada', ['tools:write']);
  await nextTurn();
  await late();
  const again = await authenticator.authenticate(basic('ada', 'password'), HERE);
  assert.deepEqual(again.scopes, ['tools:write']);
  assert.equal(await signIn('ada'), 'tools:write');
});

test('when very many users change at once, all of them are forgotten', async (t) => {
  const { store, other, signIn } = setUp(t);
  await put(store, 'ada');
  const numbers = JSON.stringify(Array.from({ length: 150 }, (_, i) => i));
  store.db.raw.exec(`insert into users select 'id-' || value, 'user' || value, password_hash, scopes, 0, 0
    from users, json_each('${numbers}')`);
  assert.equal(await signIn('user149'), 'tools:read');
  other.db.raw.exec(`update users set scopes = '[]', updated_at = updated_at + 1;
    update change_counters set value = value + 1 where subject = 'users'`);
  assert.equal(await signIn('user149'), '');
});

test('users that cannot be read let nobody in, and the next request looks again', async (t) => {
  const { store, signIn } = setUp(t);
  await put(store, 'ada');
  assert.equal(await signIn('ada'), 'tools:read');
  const authenticator = createAuthenticator({ findUser: (name) => store.users.get(name) });
  let broken = true;
  const list = () => (broken ? Promise.reject(new Error('no disk')) : store.users.list());
  const follow = followUsers(
    { users: { ...store.users, list }, versions: () => store.versions() },
    authenticator,
  );
  await assert.rejects(async () => follow(), /no disk/);
  await assert.rejects(async () => follow(), /no disk/);
  broken = false;
  await follow();
});

test('whatever changes, on either side, a request is answered by the users of that moment', async (t) => {
  const { store, other, signIn } = setUp(t);
  const names = ['ada', 'bob', 'cat'];
  const change = fc.record({
    side: fc.constantFrom(store, other),
    name: fc.constantFrom(...names),
    kind: fc.constantFrom('scopes', 'password', 'replace', 'sign in', 'sign in', 'sign in'),
    scopes: fc.subarray<Scope>(['tools:read', 'tools:write']),
    password: fc.constantFrom('password', 'another'),
  });
  await put(store, 'root', ['admin']);
  for (const name of names) await put(store, name);
  const passwords = new Map(names.map((name) => [name, 'password']));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 10, maxLength: 40 }), async (changes) => {
      for (const { side, name, kind, scopes, password } of changes) {
        if (kind === 'scopes') await setScopes(side, name, scopes);
        if (kind === 'password') await setHash(side, name, password);
        if (kind === 'password') passwords.set(name, password);
        if (kind === 'replace') {
          await removeUser(side, name);
          await put(side, name, scopes);
          passwords.set(name, 'password');
        }
        const right = passwords.get(name) ?? '';
        const user = await store.users.get(name);
        assert.equal(await signIn(name, right), user?.scopes.join());
      }
    }),
    { numRuns: 15 },
  );
});
