import type { Delivery, Story, StorySentence } from '../api/webhooks.ts'
import type { serverWords } from '../text/server-id.ts'
import { sentenceIn } from '../text/text.tsx'
import { consoleAdvice } from '../text/webhooks-en.ts'
import { exactTime } from '../ui/Time.tsx'

type Words = typeof serverWords

const INSTANT = /(?<!")\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
const isInstant = (value: unknown): value is string =>
  typeof value === 'string' && new RegExp(`^${INSTANT.source}$`).test(value)

/** In the words of the reader, times by the clock of the shop. What is quoted is to be copied, and stays as it is. */
export function storyText(words: Words | null, { code, says, details }: StorySentence, language: string): string {
  const [sentences, params] = words === null ? [consoleAdvice, details] : [words.stories, valuesOf(details, words)]
  const text = sentenceIn(sentences, { code, detail: says, params })
  return text.replaceAll(INSTANT, (instant) => exactTime(instant, language))
}

/** The values as the reader reads them; a code that has no word yet is left out, and the sentence without it is used. */
function valuesOf(details: Record<string, unknown>, words: Words): Record<string, unknown> {
  const { flags, triggers } = words.storyWords
  const shown = Object.entries(details).map(([name, value]) => {
    if (value === true) return [name, wordIn(flags, name)]
    if (isInstant(value)) return [name, exactTime(value, 'id')]
    if (name.endsWith('_ms') && typeof value === 'number') return [name, Math.round(value)]
    return [name, name === 'trigger' ? wordIn(triggers, value) : value]
  })
  const { detail, error_class, error_detail } = details
  const error = { code: String(error_class ?? ''), detail: String(error_detail ?? '') }
  return { ...Object.fromEntries(shown), why: reasonIn(words, detail), error: sentenceIn(words.attempts, error) }
}

const wordIn = (words: Record<string, string>, name: unknown): string => words[String(name)] ?? ''

function reasonIn({ storyWords }: Words, reason: unknown): string {
  const status = /^status_(\d+)$/.exec(String(reason))?.[1]
  return status === undefined ? wordIn(storyWords.reasons, reason) : `respons ${status}`
}

/**
 * When a delivery is tried next. Its own time is only the earliest: while its endpoint keeps failing or is throttled, the story says
 * until when everything there waits, and the later of both is true.
 */
export function nextTryAt({ status, next_attempt_at: at }: NextTryFacts, story: Pick<Story, 'answer'> | undefined) {
  if (status !== 'pending' || at === null) return status === 'in_flight' ? null : at
  const waits = (story?.answer ?? []).map(({ details }) => details.until).filter((until) => typeof until === 'string')
  return [at, ...waits].reduce((latest, one) => (Date.parse(one) > Date.parse(latest) ? one : latest))
}

type NextTryFacts = Pick<Delivery, 'status' | 'next_attempt_at'>
