import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Principal } from '../../src/auth/authorize.ts';
import { changePassword, createUser } from '../../src/auth/users.ts';
import { openStore } from '../../src/store/store.ts';
import { BASE, basic, startApp, temporaryFolder } from '../helper.ts';
import { cheapHash } from './cheap-hash.ts';

const OWN = { password: 'a new password', current_password: 'the old password' };

/** A store with the user ada, and what changes it. */
async function setUp(t: TestContext) {
  const store = openStore(`file:${temporaryFolder(t)}/toolcrib.db`);
  t.after(() => store.close());
  const ada = await createUser(store, { name: 'ada', password: 'the old password', scopes: [] });
  const admin: Principal = { id: 'usr-admin', name: 'admin', scopes: ['admin'] };
  const remembered: string[] = [];
  const change = (caller: Principal, body: Parameters<typeof changePassword>[4], name = 'ada') =>
    changePassword(
      store,
      { remember: (user, password) => remembered.push(`${user} ${password}`) },
      caller,
      name,
      body,
    );
  return { store, ada, admin, change, remembered };
}

test("one's own password is changed with the current one, anyone's by an admin", async (t) => {
  const { store, ada, admin, change, remembered } = await setUp(t);
  const first = await change(ada, OWN);
  assert.notEqual(first.password_hash, ada.password_hash);
  assert.deepEqual(await store.users.get('ada'), first);
  const second = await change(admin, { password: 'set by the admin' });
  assert.notEqual(second.password_hash, first.password_hash);
  assert.deepEqual(await store.users.get('ada'), second);
  assert.deepEqual(remembered, ['ada a new password', 'ada set by the admin']);
});

test('a refused change of a password says why and changes nothing', async (t) => {
  const { store, ada, admin, change, remembered } = await setUp(t);
  const other: Principal = { id: 'usr-other', name: 'other', scopes: ['tools:write'] };
  const { password, current_password } = OWN;
  for (const [caller, body, name, type, field] of [
    [ada, { password }, 'ada', 'ValidationError', 'current_password'],
    [ada, { password, current_password: 'wrong' }, 'ada', 'AuthorizationError', 'current_password'],
    [ada, { password: 'short', current_password }, 'ada', 'ValidationError', 'password'],
    [other, OWN, 'ada', 'AuthorizationError', undefined],
    [other, OWN, 'nobody', 'AuthorizationError', undefined],
    [admin, { password }, 'nobody', 'NotFoundError', undefined],
  ] as const) {
    await assert.rejects(change(caller, body, name), (error: Record<string, unknown>) => {
      assert.equal(error['type'], type);
      assert.equal((error['details'] as Record<string, unknown>)['field'], field);
      return true;
    });
  }
  assert.deepEqual(await store.users.get('ada'), ada);
  assert.deepEqual(remembered, []);
});

for (const who of ['ada', 'admin'] as const) {
  test(`${who} sets no password of a new user who got the name meanwhile`, async (t) => {
    const { store, ada, admin, change, remembered } = await setUp(t);
    const changing = change(who === 'ada' ? ada : admin, OWN);
    const successor = { ...ada, id: 'usr-successor', password_hash: cheapHash('of the successor') };
    await store.users.change(() => ({ remove: ada, put: successor, result: undefined }));
    await assert.rejects(changing, { type: 'NotFoundError' });
    assert.deepEqual(await store.users.get('ada'), successor);
    assert.deepEqual(remembered, []);
  });
}

test('a password set by an admin meanwhile is not overwritten by who knew the old one', async (t) => {
  const { store, ada, change } = await setUp(t);
  const changing = change(ada, OWN);
  const reset = { ...ada, password_hash: cheapHash('reset by the admin') };
  await store.users.change(() => ({ put: reset, result: undefined }));
  await assert.rejects(changing, { type: 'AuthorizationError' });
  assert.deepEqual(await store.users.get('ada'), reset);
});

test('the route changes the password from the next request on', async (t) => {
  const { app, addUser } = await startApp(t);
  const authorization = await addUser('ada', []);
  const answer = await app.inject({
    method: 'PUT',
    url: `${BASE}/users/ada/password`,
    headers: { authorization },
    payload: { password: 'a new password', current_password: 'password of ada' },
  });
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(Object.keys(answer.json().data), [
    ...['user_id', 'name', 'scopes', 'created_at', 'updated_at'],
  ]);
  const ask = async (header: string) =>
    (await app.inject({ url: `${BASE}/whoami`, headers: { authorization: header } })).statusCode;
  assert.equal(await ask(authorization), 401);
  assert.equal(await ask(basic('ada', 'a new password')), 200);
});
