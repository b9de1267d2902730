/**
 * Text that shows nothing: empty, or only white space, control characters and characters that are not drawn, such as a
 * zero-width space or a variation selector.
 */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u

export const isBlank = (text: string): boolean => !VISIBLE.test(text)

/** The same characters as ranges, for published patterns: not every reader of a schema knows Unicode properties. */
const INVISIBLE =
  '\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f-\\u1160\\u1680\\u17b4-\\u17b5\\u180b-\\u180f\\u2000-\\u200f' +
  '\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8'

export const VISIBLE_PATTERN = `^[^\\u0000]*[^${INVISIBLE}][^\\u0000]*$`
export const VISIBLE_OR_EMPTY_PATTERN = `^(?:[^\\u0000]*[^${INVISIBLE}][^\\u0000]*)?$`

export const BLANK_SAYS = 'This must not be blank. Enter visible text.'

/**
 * Text from outside in a form that can be stored and shown: the database takes neither NUL nor half a surrogate pair, and
 * what is published as bounded is bounded, counting characters as people do.
 */
export function soundText(text: string, charactersMax = Number.POSITIVE_INFINITY): string {
  const paired = text.isWellFormed() ? text : text.toWellFormed()
  const whole = paired.includes('\u0000') ? paired.replaceAll('\u0000', '') : paired
  if (whole.length <= charactersMax) return whole
  const characters = [...whole]
  return characters.length <= charactersMax ? whole : `${characters.slice(0, charactersMax - 1).join('')}…`
}

/**
 * The known name a caller most likely meant: the same words in another spelling (`paymentMethod` for
 * `payment_method`), or a slip of the fingers (a letter missing, added, replaced or swapped with its neighbour).
 */
export function nearestName(unknown: string, known: readonly string[]): string | null {
  if (unknown.length > NAME_CHARACTERS_MAX) return null
  const wanted = bareLetters(unknown)
  let nearest: string | null = null
  let nearestDistance = slipsAllowed(wanted.length) + 1
  for (const name of known) {
    const distance = editDistance(wanted, bareLetters(name), nearestDistance)
    if (distance < nearestDistance) {
      nearest = name
      nearestDistance = distance
    }
  }
  return nearest
}

/** Longer names are not typed by hand, and comparing them would cost more than the hint is worth. */
const NAME_CHARACTERS_MAX = 64

const bareLetters = (name: string) => name.replace(/[_\s.-]/g, '').toLowerCase()

/** One slip in three letters, at most three; with more, a guess would mislead more often than help. */
const slipsAllowed = (letters: number) => (letters < 3 ? 0 : Math.min(3, Math.floor(letters / 3)))

/** Damerau-Levenshtein distance (optimal string alignment); any number from `limit` on when it is not below that. */
function editDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) >= limit) return limit
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const replaced = at(last, column - 1) + (isSame ? 0 : 1)
      let distance = Math.min(replaced, at(last, column) + 1, at(current, column - 1) + 1)
      const isSwap = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (isSwap) distance = Math.min(distance, at(beforeLast, column - 2) + 1)
      current.push(distance)
    }
    beforeLast = last
    last = current
  }
  return at(last, other.length)
}

const at = (row: number[], column: number) => row[column] ?? 0
