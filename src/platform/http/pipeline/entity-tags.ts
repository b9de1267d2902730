import { contentHash } from '../../runtime/hash.ts'

/**
 * Entity tags. Ours come from the text of the answer, so they depend on what this caller is shown and on nothing else, and
 * they are weak: the same text may travel compressed. Quotes are part of a tag. Weak and strong compare alike, also for
 * If-Match: RFC 9110 would have it otherwise, but then no tag of ours could ever match.
 */
export const entityTag = (body: string) => `W/"${contentHash(body)}"`

/**
 * All headers of a request together have 16 KiB, and what is beyond that is refused before we see it. A list of this
 * length fits beside any usual headers, so a longer one can be refused with an explanation.
 */
export const TAGS_CHARACTERS_MAX = 12_288

/** What is between the quotes, with them. */
const opaque = (tag: string) => tag.replace(/^W\//, '')

/** If-None-Match: what is not one of our tags is merely not the same. */
export const isSameTag = (ifNoneMatch: string, tag: string) =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((candidate) => opaque(candidate.trim()) === opaque(tag))

/** Which states of a thing a change may happen to. */
export type IfMatch = { accepts(tag: string): boolean }

export type IfMatchResult = { ok: true; ifMatch: IfMatch | null } | { ok: false; detail: string }

const TAG = String.raw`(?:W/)?"[!#-~\x80-\xff]*"`
const TAGS = new RegExp(String.raw`^[\t ,]*${TAG}(?:[\t ]*,[\t ,]*${TAG})*[\t ,]*$`)

/** Read strictly, because one that is misread would either stop every change or let every change through. */
export function readIfMatch(header: string | null): IfMatchResult {
  if (header === null) return { ok: true, ifMatch: null }
  if (header.trim() === '*') return { ok: true, ifMatch: { accepts: () => true } }
  if (header.length > TAGS_CHARACTERS_MAX)
    return { ok: false, detail: `If-Match must have at most ${TAGS_CHARACTERS_MAX} characters.` }
  if (!TAGS.test(header))
    return {
      ok: false,
      detail:
        'If-Match must be one or more entity tags exactly as in ETag, including their quotes and separated by commas, or "*" alone.',
    }
  const accepted = new Set(header.match(/"[^"]*"/g))
  return { ok: true, ifMatch: { accepts: (tag) => accepted.has(opaque(tag)) } }
}
