import { keysOf } from '../../kernel/records.ts'
/**
 * What a certification can find wrong with a receiver, each in one sentence for its author. The severity decides the
 * verdict of the probe that showed it (minor: warn, otherwise fail) and the grade of the whole.
 *
 *   critical   forged events get in, or genuine ones do not
 *   serious    genuine events will be lost or repeated for days in a situation that will come
 *   minor      works, and could be better
 */
export type Severity = 'critical' | 'serious' | 'minor'
export type Grade = 'A' | 'B' | 'C' | 'D' | 'F'
type Bug = { severity: Severity; says: string }

const critical = (says: string): Bug => ({ severity: 'critical', says })
const serious = (says: string): Bug => ({ severity: 'serious', says })
const minor = (says: string): Bug => ({ severity: 'minor', says })

/** From worst to least within a severity, because the first one found becomes the summary. */
export const bugs = {
  not_reached: critical('The receiver cannot be reached under this URL: no connection was made.'),
  not_answered: critical('The receiver takes the connection but does not answer in time: answer first, work later.'),
  redirects: critical('The receiver answers with a redirect, which is never followed: register the URL it points to.'),
  url_not_found: critical('Nothing takes a POST at this URL: check its path.'),
  does_not_verify: critical(
    'The receiver does not verify signatures at all: whoever knows the URL can send it any event.',
  ),
  accepts_unsigned: critical(
    'The receiver verifies a signature where there is one and accepts a message that has none: refuse it.',
  ),
  body_not_covered: critical(
    'The receiver checks a signature but not against the body it then uses: the content can be changed on the way.',
  ),
  secret_as_text: critical(
    'The secret is used as text instead of decoded base64: remove "whsec_", decode the rest, and use those bytes as key.',
  ),
  secret_prefix_decoded: critical(
    'The secret is decoded together with its prefix: remove "whsec_" first, then decode the base64 that follows.',
  ),
  digest_as_hex: critical('The receiver compares with a hexadecimal digest: the signature is base64.'),
  version_not_removed: critical(
    'The receiver compares with the whole entry: each begins with a version and a comma ("v1,") that is not part of the signature.',
  ),
  body_alone_hashed: critical(
    'The receiver hashes the body alone: what is signed is id, timestamp and body, joined with full stops.',
  ),
  milliseconds_expected: critical('The receiver takes the timestamp for milliseconds: it is in seconds.'),
  v1a_not_supported: critical(
    'The receiver verifies "v1" only, and this endpoint is set to sign with "v1a" alone: set its signing to "both".',
  ),
  clock_off: critical('The clock of the receiver is more than five minutes off, so every timestamp looks wrong to it.'),
  handler_fails: critical('The receiver answers a plain event with a server error: the reason is in its own log.'),
  genuine_refused: critical(
    'The receiver refuses a plain event, correctly signed: it probably holds another secret, or something in front of it asks for other credentials.',
  ),

  no_timestamp_check: serious(
    'The receiver does not check the timestamp: a message that was once overheard can be sent again at any time.',
  ),
  body_reserialized: serious(
    'The receiver parses the body and serialises it again before hashing, which only works while both spell JSON alike: hash the bytes as they arrived.',
  ),
  body_reencoded: serious(
    'The body is decoded and encoded again before hashing, and characters beyond ASCII do not survive it: hash the bytes as they arrived.',
  ),
  header_compared_whole: serious(
    'The receiver compares the signature header as a whole (as the Elixir library does): it is a list, separated by spaces, and any entry may match.',
  ),
  first_signature_only: serious(
    'The receiver looks at the first signature only: while a secret is being rotated, its own may be the second.',
  ),
  large_body_refused: serious(
    'The receiver refuses a body of 200 KiB, probably by a limit of its web framework or proxy: events can have 256 KiB.',
  ),
  large_body_not_answered: serious('The receiver does not answer in time when the body has 200 KiB.'),
  duplicate_refused: serious(
    'The receiver answers an event it has already seen with an error, so the delivery is repeated for days: answer 2xx.',
  ),
  order_assumed: serious(
    'The receiver fails when an older event comes after a newer one: order is not guaranteed; compare "sequence", ignore what is older, answer 2xx.',
  ),
  unknown_type_fails: serious(
    'The receiver fails with a server error on an event type it does not know: answer 2xx and ignore it, because types are added.',
  ),
  unknown_members_refused: serious(
    'The receiver refuses an event with members it does not know: ignore them, because members are added.',
  ),
  answers_unsteadily: serious('The receiver accepted plain events but failed or did not answer on one like them.'),
  very_slow: serious(
    'The receiver takes so long that a little more load will turn into timeouts: answer first, work later.',
  ),

  slow: minor('The receiver seems to do its work before it answers: answer first, work later.'),
  future_timestamp_accepted: minor(
    'The receiver refuses old timestamps but accepts one from the future: compare the difference in both directions.',
  ),
  unknown_type_refused: minor(
    'The receiver refuses an event type it does not know: answer 2xx and ignore it, or subscribe to fewer types.',
  ),
  forgery_fails: minor(
    'The receiver answers a message it must refuse with a server error: answer 401 or 400, so that its own alarms stay meaningful.',
  ),
  forgery_not_answered: minor(
    'The receiver does not answer a message it must refuse: answer 401 or 400 instead of cutting the connection.',
  ),
  rate_limited: minor(
    'The receiver limited the rate of the probes, so not all of them could be judged: certify again later.',
  ),
  not_finished: minor('The certification ran out of time before all probes were sent.'),
} as const satisfies Record<string, Bug>

export type BugCode = keyof typeof bugs

const RANK = keysOf(bugs)
const SEVERITIES: Severity[] = ['critical', 'serious', 'minor']

/** Worst first, each once. */
export const rankBugs = (codes: readonly BugCode[]): BugCode[] =>
  [...new Set(codes)].sort(
    (one, other) =>
      SEVERITIES.indexOf(bugs[one].severity) - SEVERITIES.indexOf(bugs[other].severity) ||
      RANK.indexOf(one) - RANK.indexOf(other),
  )

/** By distinct bugs, not by probes: one mistake shows in several of them. Without plain events nothing else matters. */
export function gradeOf(found: readonly BugCode[], isPlainAccepted: boolean): Grade {
  const count = (severity: Severity) => new Set(found.filter((code) => bugs[code].severity === severity)).size
  if (!isPlainAccepted || count('critical') > 0) return 'F'
  if (count('serious') > 1) return 'D'
  if (count('serious') === 1) return 'C'
  return count('minor') > 0 ? 'B' : 'A'
}

const GRADE_SENTENCES: Record<Grade, string> = {
  A: 'The receiver did everything right.',
  B: 'The receiver is sound and could be a little better.',
  C: 'The receiver works and has one serious bug.',
  D: 'The receiver works on a good day and has several serious bugs.',
  F: 'The receiver is not ready for events.',
}

export function summaryOf(grade: Grade, found: readonly BugCode[]): string {
  const [worst] = rankBugs(found)
  return worst === undefined ? GRADE_SENTENCES[grade] : `${GRADE_SENTENCES[grade]} ${bugs[worst].says}`
}
