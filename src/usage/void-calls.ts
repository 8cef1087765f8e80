import { validationError } from '../errors.ts';
import type { Store } from '../store/store.ts';

/**
 * Takes back all kept calls that a user reported in a period: from the history and every number.
 * It goes in steps; one that is cut short is finished by asking again.
 * @param reporter name of a user, or the id of one that is gone.
 * @returns how many calls were voided.
 */
export async function voidReportedCalls(
  store: Store,
  { reporter, since, until }: { reporter: string; since: number; until: number },
): Promise<number> {
  if (since >= until) {
    throw validationError('Invalid query parameters', [
      { field: 'since', reason: 'Since must be before until' },
    ]);
  }
  const user = await store.users.get(reporter);
  let voided = 0;
  for (;;) {
    const some = await store.calls.voidSome(user?.id ?? reporter, since, until);
    voided += some;
    if (some === 0) return voided;
  }
}
