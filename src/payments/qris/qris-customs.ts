import { QrisError, type QrisProblem, type QrisProblemCode } from './qris-problem.ts'
import { isDomesticAccount, type QrisReading } from './qris-reading.ts'
import { problemAt } from './qris-rules.ts'
import { countCharacters, parseTemplate, type TlvObject } from './tlv.ts'

/**
 * Violations of the specification that occur in live codes: numbers of 14 characters, names of 26, a dash as a postal code.
 * Payers' apps accept them, so reading only warns; codes that we write comply. The merchant's PAN is not checked with the Luhn
 * algorithm, because PANs of 18 digits carry no check digit.
 */
type Custom = { allows: (value: string) => boolean; code: QrisProblemCode; says: string }

const CRITERIA = ['UMI', 'UKE', 'UME', 'UBE', 'URE', 'PSO', 'BLU']
const NATIONAL_DOMAINS = ['ID.CO.QRIS.WWW', 'ID.OR.GPNQR.WWW']

const atMost = (lengthMax: number): Custom => ({
  allows: (value) => countCharacters(value) <= lengthMax,
  code: 'value_too_long',
  says: `The value is longer than ${lengthMax} characters.`,
})
const usual = (pattern: RegExp, says: string): Custom => ({
  allows: (value) => pattern.test(value),
  code: 'value_unusual',
  says,
})
const oneOf = (values: readonly string[], says: string): Custom => ({
  allows: (value) => values.includes(value),
  code: 'value_unusual',
  says,
})
const withoutPipe: Custom = {
  allows: (value) => !value.includes('|'),
  code: 'pipe_character',
  says: 'The pipe character is not allowed here.',
}

const criteria = oneOf(CRITERIA, `The merchant criteria are none of ${CRITERIA.join(', ')}.`)

const ROOT: Record<string, Custom[]> = {
  59: [atMost(25), withoutPipe],
  60: [atMost(15), withoutPipe],
  61: [atMost(10), withoutPipe, usual(/[0-9A-Za-z]/, 'The postal code is not one.')],
}

const ACCOUNT: Record<string, Custom[]> = {
  '00': [atMost(32)],
  '01': [usual(/^9360[0-9]{4,15}$/, 'The merchant PAN is not 8 to 19 digits that begin with 9360.')],
  '02': [atMost(15), withoutPipe],
  '03': [withoutPipe, criteria],
}

const NATIONAL: Record<string, Custom[]> = {
  '00': [oneOf(NATIONAL_DOMAINS, `The national repository is none of ${NATIONAL_DOMAINS.join(', ')}.`)],
  '02': [usual(/^ID[0-9]{13}$/, 'The NMID is not ID and 13 digits.')],
  '03': [criteria],
}

const ADDITIONAL_DATA: Record<string, Custom[]> = {
  ...Object.fromEntries(['01', '02', '03', '04', '05', '06', '07', '08'].map((tag) => [tag, [atMost(25)]])),
  '09': [atMost(3)],
}

export function findWarnings(reading: QrisReading): QrisProblem[] {
  const inTemplates = [...reading.templates].flatMap(([tag, inner]) =>
    [...inner].flatMap(([innerTag, { value }]) =>
      judge(reading, `${tag}.${innerTag}`, value, customsOf(tag)[innerTag]),
    ),
  )
  const inRoot = reading.objects.flatMap(({ tag, value }) => judge(reading, tag, value, ROOT[tag]))
  return [...inRoot, ...inTemplates, ...absenceWarnings(reading), ...tipWarnings(reading), ...templateWarnings(reading)]
}

function customsOf(tag: string): Record<string, Custom[]> {
  if (isDomesticAccount(tag)) return ACCOUNT
  return tag === '51' ? NATIONAL : ADDITIONAL_DATA
}

const judge = (reading: QrisReading, path: string, value: string, customs: Custom[] = []): QrisProblem[] =>
  customs.filter(({ allows }) => !allows(value)).map((custom) => problemAt(reading, path, custom))

function absenceWarnings({ templates }: QrisReading): QrisProblem[] {
  const national = templates.get('51')
  if (national === undefined || national.has('02')) return []
  return [{ code: 'tag_missing', path: '51.02', offsetBytes: null, says: 'The NMID is missing.' }]
}

function tipWarnings(reading: QrisReading): QrisProblem[] {
  const indicator = reading.root.get('55')?.value
  const isUnused = (tag: string) => reading.root.has(tag) && indicator !== (tag === '56' ? '02' : '03')
  return ['56', '57']
    .filter(isUnused)
    .map((tag) => problemAt(reading, tag, { code: 'tip_unused', says: 'Tag 55 does not announce this tip.' }))
}

/** Templates that are passed through unchanged: the name in another language, and additions of acquirers. */
const isForeignTemplate = (tag: string): boolean => tag === '64' || tag >= '80'

const templateWarnings = ({ text, objects }: QrisReading): QrisProblem[] =>
  objects
    .filter(({ tag }) => isForeignTemplate(tag))
    .map((template) => structureProblem(text, template))
    .filter((problem) => problem !== null)

function structureProblem(text: string, template: TlvObject): QrisProblem | null {
  try {
    parseTemplate(text, template)
    return null
  } catch (error) {
    if (!(error instanceof QrisError)) throw error
    return { ...error.problem, code: 'template_malformed' }
  }
}
