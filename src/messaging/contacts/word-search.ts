/**
 * Searches words in the index of words alone, in which the words of each organization are one range. The statements say
 * `org_id || '' = …`, which no other index answers: PostgreSQL cannot estimate how many rows hold a word that the plan does
 * not know yet, and after five searches a connection would rather read every message of the organization. With a million of
 * them that took 10 to 15 s, and takes a millisecond.
 *
 * A page of hits, newest first, is first searched among the newest rows. A frequent word fills it from there, where the
 * index of words would fetch and sort all rows that hold it; a rare word has few.
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
