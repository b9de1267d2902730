import type { OrganizationProfile } from '../../accounts/organizations/organizations.ts'
import type { PaymentMethod } from '../../payments/payment-connector.ts'

/** The language of messages and of the pay page, and how they write money, times and banks. */
/** The channel of a card payment without a pay later service. The name of the method is enough for it. */
export const PLAIN_CARD = 'credit_card'

export const languages = ['id', 'en'] as const
export type Language = (typeof languages)[number]

export const isLanguage = (text: unknown): text is Language => languages.some((known) => known === text)

/** The language that the organization chose for its customers; Indonesian by default. */
export const languageOf = ({ settings }: Pick<OrganizationProfile, 'settings'>): Language =>
  isLanguage(settings.language) ? settings.language : 'id'

/** Formats rupiah with a no-break space and dots, as price tags do. */
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
  akulaku: 'Akulaku',
  alfamart: 'Alfamart',
  astrapay: 'AstraPay',
  gopay: 'GoPay',
  indomaret: 'Indomaret',
  kredivo: 'Kredivo',
  linkaja: 'LinkAja',
  shopeepay: 'ShopeePay',
  bnc: 'Bank Neo Commerce',
  bss: 'Bank Sahabat Sampoerna',
  cimb: 'CIMB Niaga',
  hana: 'Bank Hana',
  mandiri: 'Mandiri',
  muamalat: 'Muamalat',
  permata: 'Permata',
  danamon: 'Danamon',
  saqu: 'Bank Saqu',
  seabank: 'SeaBank',
}

/** The name that the customers of a bank, wallet or store know. Most banks use their abbreviation. */
export const nameOfBank = (bank: string): string => BANK_NAMES[bank] ?? bank.replaceAll('_', ' ').toUpperCase()

/** How customers know the methods. */
export const methodNames: Record<Language, Record<PaymentMethod, string>> = {
  id: {
    qris: 'QRIS',
    virtual_account: 'Virtual account',
    bank_transfer: 'Transfer bank',
    cash: 'Tunai',
    cod: 'Bayar di tempat (COD)',
    ewallet: 'E-wallet',
    card: 'Kartu kredit/debit',
    retail: 'Gerai retail',
    invoice: 'Tagihan',
    free: 'Gratis',
  },
  en: {
    qris: 'QRIS',
    virtual_account: 'Virtual account',
    bank_transfer: 'Bank transfer',
    cash: 'Cash',
    cod: 'Cash on delivery',
    ewallet: 'E-wallet',
    card: 'Card',
    retail: 'Store counter',
    invoice: 'Invoice',
    free: 'Free',
  },
}

const FIRST_INSTRUCTIONS = ['bank', 'account_number', 'account_holder', 'store', 'payment_code', 'reference']
const LAST_INSTRUCTIONS = ['note']

/** Sorts the destination first, then the references, then the shop's note. JSON in the database does not keep the order of its members. */
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
