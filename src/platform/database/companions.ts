import type { Tx } from './queries.ts'

/**
 * A row that commits with the effect of a request or not at all, such as the entry in the audit log. Requests that share a
 * transaction hand theirs to the same `write` together.
 */
export type Companion = { write: (tx: Tx, items: readonly unknown[]) => Promise<void>; item: unknown }

/** For the effect on the object with this id. */
export type CompanionOf = (subject: string) => Companion

/** Right before the last statements of the transaction: other transactions may wait for what it locks. */
export async function writeCompanions(tx: Tx, companions: readonly Companion[]): Promise<void> {
  const together = Map.groupBy(companions, ({ write }) => write)
  for (const [write, group] of together)
    await write(
      tx,
      group.map(({ item }) => item),
    )
}
