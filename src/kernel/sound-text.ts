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
