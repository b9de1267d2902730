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

const at = (row: number[], column: number) => row[column] as number
