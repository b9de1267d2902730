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
  not_reached: critical('The receiver cannot be reached at this URL: the connection failed.'),
  not_answered: critical(
    'The receiver accepts the connection but does not respond in time: respond first, do the work afterwards.',
  ),
  redirects: critical('The receiver responds with a redirect, which is never followed: register the target URL.'),
  url_not_found: critical('This URL does not accept POST requests: check its path.'),
  does_not_verify: critical('The receiver does not verify signatures: anyone who knows the URL can send it any event.'),
  accepts_unsigned: critical('The receiver accepts requests without a signature: reject them.'),
  body_not_covered: critical(
    'The receiver verifies the signature against another body than the one it uses: the content can be changed in transit.',
  ),
  secret_as_text: critical(
    'The secret is used as text instead of decoded base64: remove "whsec_", decode what follows, and use those bytes as the key.',
  ),
  secret_prefix_decoded: critical(
    'The secret is decoded together with its prefix: remove "whsec_" first, then decode the base64 that follows.',
  ),
  digest_as_hex: critical('The receiver compares a hexadecimal digest: the signature is base64.'),
  version_not_removed: critical(
    'The receiver compares the whole entry: the version and comma at its start ("v1,") are not part of the signature.',
  ),
  body_alone_hashed: critical(
    'The receiver signs only the body: the signed content is id, timestamp and body, joined with full stops.',
  ),
  milliseconds_expected: critical('The receiver reads the timestamp as milliseconds: it is in seconds.'),
  v1a_not_supported: critical(
    'The receiver verifies only "v1", and this endpoint signs only with "v1a": set its signing to "both".',
  ),
  clock_off: critical('The clock of the receiver is more than five minutes off, so it rejects every timestamp.'),
  handler_fails: critical('The receiver responds to a plain event with a server error: check its log.'),
  genuine_refused: critical(
    'The receiver rejects a plain, correctly signed event: it probably has another secret, or a proxy in front of it requires other credentials.',
  ),

  no_timestamp_check: serious(
    'The receiver does not check the timestamp: a captured request can be replayed at any time.',
  ),
  body_reserialized: serious(
    'The receiver parses and serializes the body before it verifies the signature, which fails if its JSON is written differently: verify the raw bytes.',
  ),
  body_reencoded: serious(
    'The receiver decodes and encodes the body before it verifies the signature, which breaks characters beyond ASCII: verify the raw bytes.',
  ),
  header_compared_whole: serious(
    'The receiver compares the whole signature header (as the Elixir library does): it is a list, separated by spaces, and any entry may match.',
  ),
  first_signature_only: serious(
    'The receiver checks only the first signature: while a secret is rotated, its signature may be the second.',
  ),
  large_body_refused: serious(
    'The receiver rejects a body of 200 KiB, probably because of a limit of its web framework or proxy: events can have up to 256 KiB.',
  ),
  large_body_not_answered: serious('The receiver does not respond in time if the body has 200 KiB.'),
  duplicate_refused: serious(
    'The receiver responds with an error to an event it has already handled, so the delivery is retried for days: respond with 2xx.',
  ),
  order_assumed: serious(
    'The receiver fails if an older event arrives after a newer one: the order is not guaranteed; compare "sequence", ignore older events, and respond with 2xx.',
  ),
  unknown_type_fails: serious(
    'The receiver fails on an event type it does not know: ignore it and respond with 2xx, because types are added.',
  ),
  unknown_members_refused: serious(
    'The receiver rejects an event with fields it does not know: ignore them, because fields are added.',
  ),
  answers_unsteadily: serious('The receiver accepted plain events but failed or did not respond to a similar one.'),
  very_slow: serious(
    'The receiver is so slow that a little more load will cause timeouts: respond first, do the work afterwards.',
  ),

  slow: minor('The receiver seems to do its work before it responds: respond first, do the work afterwards.'),
  future_timestamp_accepted: minor(
    'The receiver rejects old timestamps but accepts one from the future: check the difference in both directions.',
  ),
  unknown_type_refused: minor(
    'The receiver rejects an event type it does not know: ignore it and respond with 2xx, or subscribe to fewer types.',
  ),
  forgery_fails: minor(
    'The receiver responds with a server error to a request it must reject: respond with 401 or 400, so that its alerts stay meaningful.',
  ),
  forgery_not_answered: minor(
    'The receiver does not respond to a request it must reject: respond with 401 or 400 instead of closing the connection.',
  ),
  rate_limited: minor(
    'The receiver limited the rate of the probes, so not all of them could be graded: certify it again later.',
  ),
  not_finished: minor('The certification timed out before all probes were sent.'),
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
  A: 'The receiver handles everything correctly.',
  B: 'The receiver works correctly, with minor issues.',
  C: 'The receiver works, but has one serious bug.',
  D: 'The receiver has several serious bugs.',
  F: 'The receiver is not ready to receive events.',
}

export function summaryOf(grade: Grade, found: readonly BugCode[]): string {
  const [worst] = rankBugs(found)
  return worst === undefined ? GRADE_SENTENCES[grade] : `${GRADE_SENTENCES[grade]} ${bugs[worst].says}`
}
