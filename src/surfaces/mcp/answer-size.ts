import type { Json, JsonObject } from '../../platform/http/openapi/openapi-components.ts'
import { isObject } from './json.ts'

/**
 * No answer takes more than about 4,000 tokens of a model's context. Long texts are cut first, then entries of the longest
 * list are left out from its end, and the answer says so and how to see the others.
 *
 * Tokens are estimated from above, because each model counts in its own way: a token has at least two ASCII characters on
 * average, also in ids and in noise, and other characters are counted by their bytes.
 */
const ANSWER_TOKENS_MAX = 4000

const ASCII_PER_TOKEN = 1.9
const TOKENS_PER_OTHER_BYTE = 0.75

function estimateTokens(text: string): number {
  const bytes = Buffer.byteLength(text)
  let ascii = 0
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) < 128) ascii += 1
  return Math.ceil(ascii / ASCII_PER_TOKEN + (bytes - ascii) * TOKENS_PER_OTHER_BYTE)
}

const fits = (answer: JsonObject) => estimateTokens(JSON.stringify(answer)) <= ANSWER_TOKENS_MAX - NOTES_TOKENS

/** For the notes that are added last. */
const NOTES_TOKENS = 150

export type FittedAnswer = { answer: JsonObject; notes: string[] }

export function fitAnswer(answer: JsonObject): FittedAnswer {
  const cuts = [
    (given: JsonObject) => cutTexts(given, 1000),
    (given: JsonObject) => cutTexts(given, 300),
    shortenLists,
    (given: JsonObject) => cutTexts(given, 100),
    () => ({ answer: {}, notes: ['This is too large to show here.'] }),
  ]
  let fitted: FittedAnswer = { answer, notes: [] }
  for (const cut of cuts) {
    if (fits(fitted.answer)) break
    const next = cut(fitted.answer)
    fitted = { answer: next.answer, notes: [...new Set([...fitted.notes, ...next.notes])] }
  }
  return fitted
}

const CUT = '… (cut)'

function cutTexts(answer: JsonObject, charactersMax: number): FittedAnswer {
  let isCut = false
  const cut = (value: Json): Json => {
    if (typeof value === 'string') {
      if (value.length <= charactersMax || value.startsWith('http')) return value
      isCut = true
      const end = value.endsWith('⟧') ? '⟧' : ''
      return `${value.slice(0, charactersMax).toWellFormed()}${CUT}${end}`
    }
    if (Array.isArray(value)) return value.map(cut)
    if (typeof value !== 'object' || value === null) return value
    return cutMembers(value)
  }
  const cutMembers = (object: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(object).map(([name, member]) => [name, name === 'next_cursor' ? member : cut(member)]),
    )
  const shown = cutMembers(answer)
  return { answer: shown, notes: isCut ? [`Texts that end in "${CUT}" are longer.`] : [] }
}

type List = { owner: JsonObject; name: string; items: Json[]; characters: number }

/** The cursor behind what was left out would skip it, so it goes as well. */
function shortenLists(answer: JsonObject): FittedAnswer {
  const shown = structuredClone(answer)
  const lengths = new Map<Json[], number>()
  let list = longestList(shown)
  let last: List | null = null
  while (list !== null && !fits(shown)) {
    if (!lengths.has(list.items)) lengths.set(list.items, list.items.length)
    list.items.splice(Math.max(1, Math.floor(list.items.length * 0.8)))
    delete list.owner.next_cursor
    last = list
    list = longestList(shown)
  }
  const notes = [...lengths].map(([items, before]) => noteOn(items.length, before, last?.name === 'data'))
  return { answer: shown, notes }
}

const noteOn = (shown: number, before: number, isPage: boolean) =>
  isPage
    ? `Only ${shown} of ${before} entries fit. Call again with limit ${shown} and page on with its next_cursor.`
    : `Only ${shown} of ${before} entries of a list fit.`

function longestList(answer: JsonObject): List | null {
  let longest: List | null = null
  const look = (owner: JsonObject) => {
    for (const [name, value] of Object.entries(owner)) {
      if (Array.isArray(value)) {
        const characters = JSON.stringify(value).length
        if (value.length > 1 && characters > (longest?.characters ?? 0))
          longest = { owner, name, items: value, characters }
        for (const item of value) if (isObject(item)) look(item)
      } else if (isObject(value)) look(value)
    }
  }
  look(answer)
  return longest
}
