/**
 * Words are looked up in the index of words alone, in which those of each organization are a stretch of their own. The
 * statements say `org_id || '' = …`, which no other index answers: PostgreSQL cannot tell how many rows hold a word that the
 * plan does not know yet, and a connection that had searched five times would rather read every message of the
 * organization. With a million of them that took 10 to 15 s, and takes a millisecond.
 *
 * A page of hits, newest first, is looked for among the newest rows before. A frequent word fills it from there, where the
 * index of words would have all that hold it fetched and sorted; a rare one has few.
 */
export async function searchNewestFirst<Row>(
  limit: number,
  amongNewest: () => Promise<Row[]>,
  amongAll: () => Promise<Row[]>,
): Promise<Row[]> {
  const found = await amongNewest()
  return found.length === limit ? found : amongAll()
}

/** So many of them. */
export const NEWEST_LOOKED_AT = 5_000
