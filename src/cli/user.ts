import { type Command, InvalidArgumentError, Option } from 'commander';
import { ADMIN_SCOPES, SCOPE_NAMES, type Scope } from '../auth/authorize.ts';
import { MEMORY_FATES, type MemoryChoice, removeUser } from '../auth/remove-user.ts';
import { createUser, setPassword, setScopes, shown, userNotFound } from '../auth/users.ts';
import { wireTime } from '../catalogue/wire-time.ts';
import { AppError } from '../errors.ts';
import { suggestion } from '../nearest.ts';
import { UserName } from '../schemas/user.ts';
import type { Store } from '../store/store.ts';
import type { UserRecord } from '../store/users.ts';
import { ask, confirm } from './confirm.ts';
import { CliError, say, withStore } from './context.ts';
import { obtainPassword } from './password.ts';

const DEFAULT_SCOPES: readonly Scope[] = ['tools:read'];

/** `toolcrib user add|list|passwd|scopes|remove` */
export function addUser(program: Command): void {
  const user = program.command('user').description('users, their passwords and scopes');
  user
    .command('add')
    .description('add a user; without a terminal or --password-stdin its password is generated')
    .argument('<name>', UserName.description, parseName)
    .addOption(scopesOption().default(DEFAULT_SCOPES, DEFAULT_SCOPES.join()))
    .addOption(new Option('--admin', 'give every scope').conflicts('scopes'))
    .option('--password-stdin', 'take the password from stdin, one line')
    .action(async (name: string, options: AddOptions) => {
      // Before there is a store: a password that is refused leaves none behind.
      const obtained = await obtainPassword(options.passwordStdin ?? false);
      await withStore((store) => add(store, name, obtained, options), 'create');
    });

  user
    .command('list')
    .description('list the users and their scopes')
    .option('--json', 'as a JSON array')
    .action(async ({ json = false }: { json?: boolean }) => {
      const users = await withStore((store) => store.users.list());
      const lines = json ? [JSON.stringify(users.map(shown))] : table(users);
      for (const line of lines) process.stdout.write(`${line}\n`);
    });

  user
    .command('passwd')
    .description('set a new password, taken as by `user add`')
    .argument('<name>')
    .option('--password-stdin', 'take the password from stdin, one line')
    .action(async (name: string, { passwordStdin = false }: { passwordStdin?: boolean }) => {
      await withStore(async (store) => {
        await getUser(store, name);
        const { password, generated } = await obtainPassword(passwordStdin);
        await setPassword(store, name, password);
        if (generated) process.stdout.write(`${password}\n`);
        say(`User ${name} has a new password`);
      });
    });

  user
    .command('scopes')
    .description("replace a user's scopes; '' takes all away")
    .argument('<name>')
    .addOption(scopesOption().makeOptionMandatory())
    .action(async (name: string, { scopes }: { scopes: Scope[] }) => {
      await withStore((store) => setScopes(store, name, scopes));
      say(`User ${name} has ${scopes.join(', ') || 'no scopes'}`);
    });

  user
    .command('remove')
    .description('remove a user')
    .argument('<name>')
    .addOption(
      new Option('--memories <fate>', 'what becomes of memories the user has').choices(
        MEMORY_FATES,
      ),
    )
    .option('--to <user>', 'who gets them, with --memories transfer')
    .option('--yes', 'do not ask')
    .action(async (name: string, { yes = false, ...choice }: MemoryChoice & { yes?: boolean }) => {
      await withStore(async (store) => {
        await getUser(store, name);
        await confirm(`Remove the user ${name}?`, yes);
        await removeUser(store, name, choice).catch(async (error: unknown) => {
          if (yes || !asksForMemories(error)) throw error;
          await removeUser(store, name, await askForMemories(name));
        });
        say(`User ${name} removed`);
      });
    });
}

/** `--scopes a,b`; `further` says what else there is to know. */
export function scopesOption(further?: string): Option {
  const about = [`with commas: ${SCOPE_NAMES.join(', ')}`, ...(further ? [further] : [])];
  return new Option('--scopes <scopes>', about.join('; ')).argParser(parseScopes);
}

function asksForMemories(error: unknown): boolean {
  return error instanceof AppError && error.details['field'] === 'memories';
}

/** @throws CliError when the answer is none of the choices. */
async function askForMemories(name: string): Promise<MemoryChoice> {
  const answer = await ask(`${name} has memories: keep, transfer or erase them? `);
  const memories = MEMORY_FATES.find((fate) => fate === answer);
  if (memories === undefined) throw new CliError('Nothing was done');
  return memories === 'transfer' ? { memories, to: await ask('To which user? ') } : { memories };
}

interface AddOptions {
  scopes: readonly Scope[];
  admin?: true;
  passwordStdin?: true;
}

async function add(
  store: Store,
  name: string,
  { password, generated }: Awaited<ReturnType<typeof obtainPassword>>,
  options: AddOptions,
): Promise<void> {
  const scopes = options.admin ? ADMIN_SCOPES : options.scopes;
  await createUser(store, { name, password, scopes });
  if (generated) process.stdout.write(`${password}\n`);
  say(`User ${name} added with ${scopes.join(', ') || 'no scopes'}`);
  const users = await store.users.list();
  if (!users.some((each) => each.scopes.includes('admin'))) {
    say('Warning: no user has the scope admin; a server makes one only when there are no users');
  }
}

/** @throws AppError NotFoundError. */
export async function getUser(store: Store, name: string): Promise<UserRecord> {
  const found = await store.users.get(name);
  if (found === undefined) throw userNotFound(name);
  return found;
}

function parseName(name: string): string {
  if (new RegExp(UserName.pattern ?? '', 'u').test(name)) return name;
  throw new InvalidArgumentError(`A name has ${UserName.description?.toLowerCase()}.`);
}

function parseScopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  if (text.trim() === '') return [];
  return [...new Set(names)].map((name) => {
    const scope = SCOPE_NAMES.find((known) => known === name);
    if (scope !== undefined) return scope;
    throw new InvalidArgumentError(
      `'${name}' is none of ${SCOPE_NAMES.join(', ')}${suggestion(name, SCOPE_NAMES)}`,
    );
  });
}

function table(users: readonly UserRecord[]): string[] {
  const width = Math.max(0, ...users.map(({ name }) => name.length));
  return users.map(({ name, scopes, created_at }) =>
    `${name.padEnd(width)}  ${wireTime(created_at)}  ${scopes.join(', ')}`.trimEnd(),
  );
}
