import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { COMMAND_LINE } from '../../src/auth/actor.ts';
import { SCOPE_NAMES, type Scope } from '../../src/auth/authorize.ts';
import { createBearer } from '../../src/auth/bearer.ts';
import { removeUser } from '../../src/auth/remove-user.ts';
import { newToken } from '../../src/auth/token-text.ts';
import { createToken, revokeToken, type WantedToken } from '../../src/auth/tokens.ts';
import { createUser, setScopes } from '../../src/auth/users.ts';
import { AppError } from '../../src/errors.ts';
import { openStore } from '../../src/store/store.ts';
import { temporaryFolder } from '../helper.ts';

/** A server's side of tokens, the same file as another process has it, and the user ada. */
async function setUp(t: TestContext) {
  const url = `file:${temporaryFolder(t)}/toolcrib.db`;
  const [store, other] = [openStore(url), openStore(url)];
  t.after(() => {
    store.close();
    other.close();
  });
  const clock = { ms: Date.now() };
  const bearer = createBearer(store, { now: () => clock.ms });
  await createUser(store, { name: 'root', password: 'long enough', scopes: ['admin'] });
  const scopes: Scope[] = ['tools:read', 'tools:write'];
  const ada = await createUser(store, { name: 'ada', password: 'long enough', scopes });
  async function make(wanted: Partial<WantedToken> = {}, by = other) {
    const { text, token } = await createToken(by, ada, { name: 'it', scopes, ...wanted });
    return { text, id: token.id };
  }
  /** What a request gets: the scopes in force, or why it is refused. */
  async function ask(text: string, scheme = 'Bearer'): Promise<string> {
    await nextTurn();
    return bearer.authenticate(`${scheme} ${text}`).then(
      (principal) => principal.scopes.join(),
      (error) => {
        assert.ok(error instanceof AppError && error.type === 'AuthenticationError', error);
        return String(error.details['reason']);
      },
    );
  }
  return { store, other, clock, bearer, ada, make, ask };
}

const REFUSED = 'The token is unknown, revoked or expired';

test('a token is its owner, with its scopes and limits', async (t) => {
  const { bearer, ada, make } = await setUp(t);
  const limits = { read_paths: ['a/%'], write_paths: ['a/b'], tool_patterns: ['x*'] };
  const { text, id } = await make({ scopes: ['tools:read'], ...limits });
  for (const header of [`Bearer ${text}`, `bEaReR   ${text} `]) {
    assert.deepEqual(await bearer.authenticate(header), {
      id: ada.id,
      name: 'ada',
      scopes: ['tools:read'],
      token: { id, readPaths: ['a/%'], writePaths: ['a/b'], toolPatterns: ['x*'] },
    });
  }
});

test('a token that is unknown, of another secret, revoked or expired is refused alike', async (t) => {
  const { store, other, clock, make, ask } = await setUp(t);
  assert.equal(await ask('tcb_x'), 'The token is cut or mistyped');
  assert.equal(await ask(newToken().text), REFUSED);
  const { text, id } = await make();
  assert.equal(await ask(text), 'tools:read,tools:write');
  // A guess at the secret behind an id that exists.
  const forged = await make();
  store.db.raw
    .prepare('update tokens set hash = (select hash from tokens where id = ?) where id = ?')
    .run(id, forged.id);
  assert.equal(await ask(forged.text), REFUSED);

  const short = await make({ expires_at: clock.ms + 60_000 });
  assert.equal(await ask(short.text), 'tools:read,tools:write');
  clock.ms += 59_999;
  assert.equal(await ask(short.text), 'tools:read,tools:write');
  clock.ms += 1;
  assert.equal(await ask(short.text), REFUSED);

  await revokeToken(other, id, COMMAND_LINE);
  assert.equal(await ask(text), REFUSED);
});

test('what another process does to token or owner counts from the next request', async (t) => {
  const { other, make, ask } = await setUp(t);
  const { text } = await make({ scopes: ['tools:write', 'tools:read'] });
  assert.equal(await ask(text), 'tools:write,tools:read');
  await setScopes(other, 'ada', ['tools:read', 'usage:read']);
  assert.equal(await ask(text), 'tools:read');
  await setScopes(other, 'ada', SCOPE_NAMES);
  assert.equal(await ask(text), 'tools:write,tools:read');
  await removeUser(other, 'ada');
  assert.equal(await ask(text), REFUSED);
  await createUser(other, { name: 'ada', password: 'long enough', scopes: [...SCOPE_NAMES] });
  assert.equal(await ask(text), REFUSED, 'a new user of the name is another one');
});

test('a change of another token costs a look-up and lets this one go on', async (t) => {
  const { make, ask } = await setUp(t);
  const { text } = await make();
  assert.equal(await ask(text), 'tools:read,tools:write');
  await make();
  assert.equal(await ask(text), 'tools:read,tools:write');
});

test('the last use is written at most once a minute, and not by the request', async (t) => {
  const { store, clock, bearer, make, ask } = await setUp(t);
  const { text, id } = await make();
  const lastUse = async () => (await store.tokens.find(id))?.last_used_at;
  const first = clock.ms;
  for (const [ms, written] of [
    [0, first],
    [59_999, first],
    [60_000, first + 60_000],
  ] as const) {
    clock.ms = first + ms;
    const before = await lastUse();
    await ask(text);
    assert.equal(await lastUse(), before);
    await bearer.flush();
    assert.equal(await lastUse(), written);
  }
});

test('whatever happens, a token has what it was given and its owner has now', async (t) => {
  const { store, other, ada, ask } = await setUp(t);
  const act = fc.record({
    kind: fc.constantFrom('create', 'revoke', 'scopes', 'ask', 'ask'),
    side: fc.constantFrom(store, other),
    which: fc.nat(3),
    scopes: fc.subarray<Scope>(['tools:read', 'tools:write', 'usage:read']),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 30 }), async (acts) => {
      const tokens: { text: string; id: string; scopes: Scope[]; isRevoked: boolean }[] = [];
      let owned: Scope[] = ['tools:read'];
      await setScopes(store, 'ada', owned);
      for (const { kind, side, which, scopes } of acts) {
        if (kind === 'create') {
          const own = scopes.filter((scope) => owned.includes(scope));
          const made = await createToken(
            side,
            { ...ada, scopes: owned },
            { name: 'it', scopes: own },
          );
          tokens.push({ text: made.text, id: made.token.id, scopes: own, isRevoked: false });
        }
        if (kind === 'scopes') {
          owned = scopes;
          await setScopes(side, 'ada', owned);
        }
        const token = tokens.at(which - 4);
        if (token === undefined) continue;
        if (kind === 'revoke' && !token.isRevoked) {
          await revokeToken(side, token.id, COMMAND_LINE);
          token.isRevoked = true;
        }
        const inForce = token.scopes.filter((scope) => owned.includes(scope)).join();
        assert.equal(await ask(token.text), token.isRevoked ? REFUSED : inForce);
      }
      for (const { id, isRevoked } of tokens) {
        if (!isRevoked) await revokeToken(store, id, COMMAND_LINE);
      }
    }),
    { numRuns: 15 },
  );
});
