import { execFileSync } from 'node:child_process'

/**
 * Checks the subjects of commits (docs/writing.md): `area: verb object`, at most 72 characters. Commits up to the one named
 * here were written before the rule.
 */
const BEFORE_THE_RULE = '0c6d0ccc00d4'
const SUBJECT_MAX = 72

/** Words that begin a description of a state instead of an instruction. */
const NO_VERBS = new Set(
  'a an the what who whoever whose which of those these it its all each every no nobody some any where when how as in on at by for that this one two many also not'.split(
    ' ',
  ),
)
/** Verbs that end like a past or a third person. */
const VERBS_WITH_ENDING = new Set([
  'need',
  'embed',
  'feed',
  'seed',
  'speed',
  'bring',
  'pass',
  'address',
  'process',
  'focus',
  'compress',
])

export function faultOf(subject: string): string | null {
  if (subject.length > SUBJECT_MAX) return `has ${subject.length} characters, ${SUBJECT_MAX} are allowed`
  const [, verb] = /^[a-z][a-z0-9 ,/_-]*: ([a-z-]+)\b/.exec(subject) ?? []
  if (verb === undefined) return 'does not read "area: verb object"'
  const isEnded = /(?:ed|ing|[^s]s)$/.test(verb) && !VERBS_WITH_ENDING.has(verb)
  return NO_VERBS.has(verb) || isEnded
    ? `begins with "${verb}" instead of an instruction such as "keep" or "add"`
    : null
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

function readSubjects(): string[] | null {
  try {
    git('cat-file', '-e', `${BEFORE_THE_RULE}^{commit}`)
  } catch {
    return null
  }
  return git('log', '--no-merges', '--format=%s', `${BEFORE_THE_RULE}..HEAD`)
    .split('\n')
    .filter((subject) => subject !== '')
}

if (import.meta.main) {
  const subjects = readSubjects()
  if (subjects === null) console.log('The history is not there to be checked.')
  const faults = (subjects ?? []).flatMap((subject) => {
    const fault = faultOf(subject)
    return fault === null ? [] : [`  ${subject}\n    ${fault}`]
  })
  if (faults.length > 0) {
    console.error(`Commit subjects to write anew (docs/writing.md):\n${faults.join('\n')}`)
    process.exit(1)
  }
  if (subjects !== null) console.log(`${subjects.length} commit subjects follow docs/writing.md.`)
}
