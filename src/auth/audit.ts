import { wireTime } from '../catalogue/wire-time.ts';
import type { ActFilter, StoredAct } from '../store/audit-acts.ts';
import type { Store } from '../store/store.ts';

const SLICE = 1_000;

/** An act as it is shown. */
export function shownAct({ id, at, principal, token, action, subject, details }: StoredAct) {
  return {
    id,
    at: wireTime(at),
    principal,
    ...(token !== '' && { token }),
    action,
    subject,
    details: JSON.parse(details) as Record<string, string | number | boolean>,
  };
}

/** The id of a principal that is named by it, or by the name of a user. */
export async function principalId(store: Store, text: string): Promise<string> {
  return (await store.users.get(text))?.id ?? text;
}

/** All acts that match as lines of JSON, the oldest first, in constant memory. */
export async function* exportActs(store: Store, filter: ActFilter): AsyncGenerator<string> {
  let last = 0;
  for (;;) {
    const acts = await store.acts.after(last, filter, SLICE);
    if (acts.length === 0) return;
    yield acts.map((act) => `${JSON.stringify(shownAct(act))}\n`).join('');
    last = acts.at(-1)?.id ?? last;
  }
}
