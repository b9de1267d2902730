import type { Queries } from './queries.ts'

export const findKeyCheck = async (queries: Queries): Promise<string | null> =>
  (await queries.maybeOne<{ value: string }>`select value from secret_key_check`)?.value ?? null

/** The first key is the one: of two starts at once the later is checked against the earlier. */
export const insertKeyCheck = (queries: Queries, value: string) =>
  queries.run`insert into secret_key_check (value) values (${value}) on conflict do nothing`

export const replaceKeyCheck = (queries: Queries, value: string) => queries.run`
  insert into secret_key_check (value) values (${value})
  on conflict (is_only) do update set value = excluded.value, since = now()
  where secret_key_check.value <> excluded.value`
