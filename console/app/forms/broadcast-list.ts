import type { NewBroadcast } from '../api/broadcasts.ts'

type Recipient = NonNullable<NewBroadcast['recipients']>[number]

/** Spreadsheets write the phone first, and separate cells by commas, semicolons or tabs. */
const cellsOf = (line: string): string[] => {
  const separator = ['\t', ';', ','].find((one) => line.includes(one)) ?? ','
  return line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
}

type Line = { line: number; text: string }

/** A first line without digits has the titles of the columns. */
function linesOf(text: string): Line[] {
  const lines = text
    .split(/\r?\n/)
    .map((line, index) => ({ line: index + 1, text: line }))
    .filter((line) => line.text.trim() !== '')
  const isTitled = lines[0] !== undefined && !/\d{5}/.test(lines[0].text.replaceAll(/[\s-]/g, ''))
  return isTitled ? lines.slice(1) : lines
}

/** Lines that begin with no phone number, as the person counts them. Those people are skipped. */
export const unusableLines = (text: string): Line[] =>
  linesOf(text)
    .map(({ line, text: whole }) => ({ line, text: cellsOf(whole)[0] ?? '' }))
    .filter(({ text: to }) => !/^[+(]?\d[\d\s().-]{4,}$/.test(to))

/**
 * Lines as they are pasted: a phone number, then what fills the variables of the template for this person, in their order.
 */
export function readRecipients(text: string, optInSource: string): Recipient[] {
  return linesOf(text).map((line) => {
    const [to = '', ...variables] = cellsOf(line.text)
    return {
      to,
      ...(variables.length > 0 && { variables }),
      ...(optInSource !== '' && { opt_in: { source: optInSource } }),
    }
  })
}
