import { readAmount, readTip } from './qris-amount.ts'
import { byteOffset, type QrisProblem, type QrisProblemCode } from './qris-problem.ts'
import { checksumProblem, isDomesticAccount, type QrisReading } from './qris-reading.ts'

/**
 * The rules that a well-formed text must meet to be a QRIS code for a payment to a merchant. A code that breaks one is never
 * shown to a payer. Tolerated violations are in qris-customs.ts.
 */
type Rule = (reading: QrisReading) => (QrisProblem | null)[]

/** The first problem is the one to report, because later ones may only follow from it. */
export const findProblems = (reading: QrisReading): QrisProblem[] =>
  RULES.flatMap((rule) => rule(reading)).filter((problem) => problem !== null)

const ROOT_TAGS_MANDATORY = ['52', '53', '58', '59', '60', '61']

/** Purposes that mark a transfer between accounts. Such a code looks like a merchant's in every other way. */
const TRANSFER_PURPOSES = ['BOOK', 'DMCT', 'XBCT']

const RULES: Rule[] = [
  (reading) => [formatIndicatorProblem(reading), checksumProblem(reading)],
  (reading) => ROOT_TAGS_MANDATORY.filter((tag) => !reading.root.has(tag)).map((tag) => missing(tag)),
  (reading) => [
    mustMatch(reading, '01', /^1[12]$/, {
      code: 'initiation_unknown',
      says: 'The point of initiation must be 11 (static) or 12 (dynamic).',
    }),
    mustMatch(reading, '52', /^[0-9]{4}$/, {
      code: 'category_malformed',
      says: 'The merchant category must be four digits.',
    }),
    mustMatch(reading, '53', /^360$/, { code: 'currency_unsupported', says: 'The currency must be 360 (rupiah).' }),
    mustMatch(reading, '58', /^ID$/, { code: 'country_unsupported', says: 'The country must be ID.' }),
    mustMatch(reading, '59', /\S/, { code: 'value_blank', says: 'The merchant name is blank.' }),
    mustMatch(reading, '60', /\S/, { code: 'value_blank', says: 'The merchant city is blank.' }),
  ],
  (reading) => [accountProblem(reading), amountProblem(reading), tipProblem(reading), transferProblem(reading)],
]

export function problemAt(
  reading: QrisReading,
  path: string,
  { code, says }: { code: QrisProblemCode; says: string },
): QrisProblem {
  const [tag = '', inner] = path.split('.')
  const object = inner === undefined ? reading.root.get(tag) : reading.templates.get(tag)?.get(inner)
  const offsetBytes = object === undefined ? null : byteOffset(reading.text, object.start)
  return { code, path, offsetBytes, says }
}

const missing = (tag: string): QrisProblem => ({
  code: 'tag_missing',
  path: tag,
  offsetBytes: null,
  says: `Tag ${tag} is missing.`,
})

/** Checks only present tags; another rule checks their presence. */
function mustMatch(
  reading: QrisReading,
  tag: string,
  pattern: RegExp,
  problem: { code: QrisProblemCode; says: string },
): QrisProblem | null {
  const value = reading.root.get(tag)?.value
  return value === undefined || pattern.test(value) ? null : problemAt(reading, tag, problem)
}

function formatIndicatorProblem(reading: QrisReading): QrisProblem | null {
  const first = reading.objects[0]
  if (first?.tag === '00' && first.value === '01') return null
  if (!reading.root.has('00')) return missing('00')
  return problemAt(reading, '00', { code: 'format_indicator_wrong', says: 'The code must begin with 000201.' })
}

/** A static code must carry the merchant's national number; a dynamic code may name only an acquirer. */
function accountProblem(reading: QrisReading): QrisProblem | null {
  const { root, objects } = reading
  const isNational = root.has('51')
  const says = 'There is no merchant account: neither one of tags 26 to 45 nor tag 51.'
  if (!isNational && !objects.some(({ tag }) => isDomesticAccount(tag)))
    return { code: 'account_missing', path: null, offsetBytes: null, says }
  if (isNational || root.get('01')?.value !== '11') return null
  return {
    code: 'account_missing',
    path: '51',
    offsetBytes: null,
    says: 'A static code must contain the national account, tag 51.',
  }
}

function amountProblem(reading: QrisReading): QrisProblem | null {
  const value = reading.root.get('54')?.value
  const amount = value === undefined ? null : readAmount(value)
  return amount === null || amount.ok ? null : problemAt(reading, '54', amount)
}

function tipProblem(reading: QrisReading): QrisProblem | null {
  const indicator = reading.root.get('55')?.value
  const tip = indicator === undefined ? null : readTip(indicator, tipValues(reading))
  return tip === null || tip.ok ? null : problemAt(reading, tip.tag, tip)
}

export function tipValues({ root }: QrisReading): { fixed?: string; percent?: string } {
  const [fixed, percent] = [root.get('56')?.value, root.get('57')?.value]
  return { ...(fixed === undefined ? {} : { fixed }), ...(percent === undefined ? {} : { percent }) }
}

function transferProblem(reading: QrisReading): QrisProblem | null {
  const purpose = reading.templates.get('62')?.get('08')?.value ?? ''
  if (!reading.root.has('40') || !TRANSFER_PURPOSES.includes(purpose)) return null
  return problemAt(reading, '62.08', {
    code: 'transfer_code',
    says: 'This is a code for transfers between accounts, not for payments to a merchant.',
  })
}
