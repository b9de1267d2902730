import type { OrganizationProfile } from '../accounts/organization-profiles.ts'

/** How customers are spoken to, in messages and on the pay page: which language, and how money, times and banks are written. */
export const languages = ['id', 'en'] as const
export type Language = (typeof languages)[number]

export const isLanguage = (text: unknown): text is Language => languages.includes(text as Language)

/** What the organization chose for its customers: Indonesian when it chose nothing. */
export const languageOf = ({ settings }: Pick<OrganizationProfile, 'settings'>): Language =>
  isLanguage(settings.language) ? settings.language : 'id'

/** With a space that does not break, as it is printed on every price tag. */
export const formatRupiah = (amount: number): string => `Rp\u00a0${String(amount).replaceAll(/\B(?=(\d{3})+$)/g, '.')}`

const MONTHS: Record<Language, readonly string[]> = {
  id: ['Jan', 'Feb', 'Mar', 'Apr', 'Mei', 'Jun', 'Jul', 'Agu', 'Sep', 'Okt', 'Nov', 'Des'],
  en: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
}
const WIB_OFFSET_MS = 7 * 3_600_000

/** Western Indonesia Time by name, because Indonesia has three and summer time in none: "15 Nov 2026, 13.05 WIB". */
export function formatWib(at: Date, language: Language): string {
  const local = new Date(at.getTime() + WIB_OFFSET_MS)
  const two = (value: number) => String(value).padStart(2, '0')
  const time = `${two(local.getUTCHours())}${language === 'id' ? '.' : ':'}${two(local.getUTCMinutes())}`
  return `${local.getUTCDate()} ${MONTHS[language][local.getUTCMonth()]} ${local.getUTCFullYear()}, ${time} WIB`
}

const BANK_NAMES: Readonly<Record<string, string>> = {
  cimb: 'CIMB Niaga',
  mandiri: 'Mandiri',
  muamalat: 'Muamalat',
  permata: 'Permata',
  danamon: 'Danamon',
  sahabat_sampoerna: 'Sahabat Sampoerna',
  seabank: 'SeaBank',
}

/** As its customers know it; most go by their letters. */
export const nameOfBank = (bank: string): string => BANK_NAMES[bank] ?? bank.replaceAll('_', ' ').toUpperCase()

const FIRST_INSTRUCTIONS = ['bank', 'account_number', 'account_holder', 'store', 'payment_code', 'reference']
const LAST_INSTRUCTIONS = ['note']

/** Where to first, then what to write there, and what the shop adds at the end. The database keeps no order of its own. */
export function orderedInstructions(instructions: Readonly<Record<string, string>>): [name: string, value: string][] {
  const placeOf = (name: string) => {
    if (LAST_INSTRUCTIONS.includes(name)) return FIRST_INSTRUCTIONS.length + 1
    const place = FIRST_INSTRUCTIONS.indexOf(name)
    return place === -1 ? FIRST_INSTRUCTIONS.length : place
  }
  return Object.entries(instructions)
    .filter(([, value]) => value !== '')
    .sort(([one], [other]) => placeOf(one) - placeOf(other))
}
