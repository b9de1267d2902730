import { type QrisTip, readAmount, readTip, writePercent } from './qris-amount.ts'
import { QrisError } from './qris-problem.ts'
import { isDomesticAccount, type QrisReading } from './qris-reading.ts'
import { tipValues } from './qris-rules.ts'
import { type TlvEntry, type TlvObject, writeTlv } from './tlv.ts'

/**
 * The values of a payload by name. An absent tag is an absent member. Currency and country are left out, because every QRIS
 * code is in rupiah and in Indonesia. Lists are sorted by tag, whatever the order in the payload.
 */
export type QrisFields = {
  /** Absent when the code lacks the tag; such a code is used like a static one. */
  initiation?: 'static' | 'dynamic'
  accounts: MerchantAccount[]
  national?: NationalAccount
  /** ISO 18245, four digits. */
  categoryCode: string
  /** Integer rupiah. Absent on an open code: the payer types it. */
  amount?: number
  tip?: QrisTip
  merchantName: string
  merchantCity: string
  postalCode: string
  additionalData?: AdditionalData
  /** Tags 02-25, 46-50 and 64-99, passed through untouched. */
  otherObjects: TlvEntry[]
}

/** Members by their tag within the template. Other tags are kept under `other`. */
const ACCOUNT_MEMBERS = { '00': 'domain', '01': 'pan', '02': 'merchantId', '03': 'criteria' } as const
const NATIONAL_MEMBERS = { '00': 'domain', '02': 'nmid', '03': 'criteria' } as const
const ADDITIONAL_MEMBERS = {
  '01': 'billNumber',
  '02': 'mobileNumber',
  '03': 'storeLabel',
  '04': 'loyaltyNumber',
  '05': 'referenceLabel',
  '06': 'customerLabel',
  '07': 'terminalLabel',
  '08': 'purpose',
  '09': 'consumerDataRequest',
} as const

type Members = Record<string, string>
type Template<Names extends Members> = { [Name in Names[keyof Names]]?: string } & { other?: TlvEntry[] }

/** Tag 26 to 45: the merchant at one acquirer. */
export type MerchantAccount = { tag: string } & Template<typeof ACCOUNT_MEMBERS>
/** Tag 51: the merchant in the national repository. */
export type NationalAccount = Template<typeof NATIONAL_MEMBERS>
/** Tag 62. The value `***` asks the payer's app to prompt. */
export type AdditionalData = Template<typeof ADDITIONAL_MEMBERS>

const INITIATION_VALUES = { static: '11', dynamic: '12' } as const

const isPassedThrough = (tag: string): boolean =>
  (tag >= '02' && tag <= '25') || (tag >= '46' && tag <= '50') || (tag >= '64' && tag <= '99')

/** Only for a reading without problems: nothing is checked again. */
export function fieldsOf(reading: QrisReading): QrisFields {
  const textOf = (tag: string) => reading.root.get(tag)?.value ?? ''
  const inOrder = sortByTag(reading.objects)
  const accounts = inOrder
    .filter(({ tag }) => isDomesticAccount(tag))
    .map(({ tag }) => ({ tag, ...readTemplate(reading, tag, ACCOUNT_MEMBERS) }))
  return {
    ...optionalFields(reading),
    accounts,
    categoryCode: textOf('52'),
    merchantName: textOf('59'),
    merchantCity: textOf('60'),
    postalCode: textOf('61'),
    otherObjects: inOrder.filter(({ tag }) => isPassedThrough(tag)).map(entryOf),
  }
}

function optionalFields(reading: QrisReading): Partial<QrisFields> {
  const { root } = reading
  const amount = root.has('54') ? readAmount(root.get('54')?.value ?? '') : null
  const tip = root.has('55') ? readTip(root.get('55')?.value ?? '', tipValues(reading)) : null
  return {
    ...(root.has('01') ? { initiation: root.get('01')?.value === '11' ? 'static' : 'dynamic' } : {}),
    ...(root.has('51') ? { national: readTemplate(reading, '51', NATIONAL_MEMBERS) } : {}),
    ...(amount?.ok ? { amount: amount.amount } : {}),
    ...(tip?.ok ? { tip: tip.tip } : {}),
    ...(root.has('62') ? { additionalData: readTemplate(reading, '62', ADDITIONAL_MEMBERS) } : {}),
  }
}

function readTemplate<Names extends Members>(reading: QrisReading, tag: string, members: Names): Template<Names> {
  const objects = [...(reading.templates.get(tag)?.values() ?? [])]
  const named = objects.filter((object) => object.tag in members)
  const other = sortByTag(objects.filter((object) => !(object.tag in members))).map(entryOf)
  return {
    ...Object.fromEntries(named.map((object) => [members[object.tag], object.value])),
    ...(other.length === 0 ? {} : { other }),
  } as Template<Names>
}

/** In ascending order, as is customary, without the checksum. */
export function entriesOf(fields: QrisFields): TlvEntry[] {
  const { initiation, national, amount, tip, additionalData } = fields
  return sortByTag([
    { tag: '00', value: '01' },
    ...(initiation === undefined ? [] : [{ tag: '01', value: INITIATION_VALUES[initiation] }]),
    ...fields.accounts.map(writeAccount),
    ...(national === undefined ? [] : [writeTemplate('51', national, NATIONAL_MEMBERS)]),
    { tag: '52', value: fields.categoryCode },
    { tag: '53', value: '360' },
    ...(amount === undefined ? [] : [{ tag: '54', value: String(amount) }]),
    ...(tip === undefined ? [] : tipEntries(tip)),
    { tag: '58', value: 'ID' },
    { tag: '59', value: fields.merchantName },
    { tag: '60', value: fields.merchantCity },
    { tag: '61', value: fields.postalCode },
    ...(additionalData === undefined ? [] : [writeTemplate('62', additionalData, ADDITIONAL_MEMBERS)]),
    ...fields.otherObjects.map((entry) => claimTag(entry, isPassedThrough(entry.tag), entry.tag)),
  ])
}

const writeAccount = ({ tag, ...account }: MerchantAccount): TlvEntry =>
  claimTag(writeTemplate(tag, account, ACCOUNT_MEMBERS), isDomesticAccount(tag), tag)

function writeTemplate<Names extends Members>(tag: string, template: Template<Names>, members: Names): TlvEntry {
  const values = template as Record<string, string | undefined>
  const named = Object.entries(members).flatMap(([inner, name]) => {
    const value = values[name]
    return value === undefined ? [] : [{ tag: inner, value }]
  })
  const other = (template.other ?? []).map((entry) => claimTag(entry, !(entry.tag in members), `${tag}.${entry.tag}`))
  return { tag, value: writeTlv(sortByTag([...named, ...other]), tag) }
}

function tipEntries(tip: QrisTip): TlvEntry[] {
  if (tip.kind === 'prompted') return [{ tag: '55', value: '01' }]
  if (tip.kind === 'fixed')
    return [
      { tag: '55', value: '02' },
      { tag: '56', value: String(tip.amount) },
    ]
  return [
    { tag: '55', value: '03' },
    { tag: '57', value: writePercent(tip.percentHundredths) },
  ]
}

/** A tag of a named member may not be set by number, because reading would return it under that name. */
function claimTag(entry: TlvEntry, isFree: boolean, path: string): TlvEntry {
  if (isFree) return entry
  throw new QrisError({
    code: 'value_unwritable',
    path,
    offsetBytes: null,
    says: `Tag ${path} is not allowed here. It has a field elsewhere, or is not supported.`,
  })
}

const entryOf = ({ tag, value }: TlvObject): TlvEntry => ({ tag, value })

const sortByTag = <Entry extends TlvEntry>(entries: readonly Entry[]): Entry[] =>
  entries.toSorted((one, other) => (one.tag < other.tag ? -1 : one.tag > other.tag ? 1 : 0))
