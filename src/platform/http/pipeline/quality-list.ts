/** One element of a header such as Accept or Accept-Encoding: what, and how much it is wanted (0 = not at all). */
export type Wanted = { name: string; quality: number }

/** Names come out in lower case and without parameters; an element whose `q` cannot be read counts as not wanted. */
export function parseQualityList(header: string): Wanted[] {
  const list: Wanted[] = []
  for (const element of header.split(',')) {
    const [name = '', ...parameters] = element.split(';')
    if (name.trim() !== '') list.push({ name: name.trim().toLowerCase(), quality: readQuality(parameters) })
  }
  return list
}

const QUALITY_NAME = /^\s*q\s*=/i
const QUALITY_VALUE = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

function readQuality(parameters: string[]): number {
  const parameter = parameters.find((text) => QUALITY_NAME.test(text))
  if (parameter === undefined) return 1
  const value = parameter.slice(parameter.indexOf('=') + 1).trim()
  return QUALITY_VALUE.test(value) ? Number(value) : 0
}
