import type { NewBroadcast } from '../api/broadcasts.ts'

type Recipient = NonNullable<NewBroadcast['recipients']>[number]

/** Spreadsheets write the phone first, and separate cells by commas, semicolons or tabs. */
const cellsOf = (line: string): string[] => {
  const separator = ['\t', ';', ','].find((one) => line.includes(one)) ?? ','
  return line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
}

/**
 * Lines as they are pasted: a phone number, then what fills the variables of the template for this person, in their order. A first
 * line without digits has the titles of the columns.
 */
export function readRecipients(text: string, optInSource: string): Recipient[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  const isTitled = lines[0] !== undefined && !/\d{5}/.test(lines[0].replaceAll(/[\s-]/g, ''))
  return lines.slice(isTitled ? 1 : 0).map((line) => {
    const [to = '', ...variables] = cellsOf(line)
    return {
      to,
      ...(variables.length > 0 && { variables }),
      ...(optInSource !== '' && { opt_in: { source: optInSource } }),
    }
  })
}
