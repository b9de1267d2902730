import type { ChannelTemplate } from '../../channel-connector.ts'
import type { TemplateContent } from '../../content/content.ts'
import { checkTemplateParameters, readBlanks } from '../../templates/templates.ts'
import { type NetworkError, networkErrors } from './network-errors.ts'

/**
 * The templates that the simulated network has approved: what an order needs to tell, in English and Indonesian, and one
 * for each thing that a template can have, to try it with.
 */
type Component = ChannelTemplate['components'][number]

const template = (name: string, language: string, ...components: Component[]): ChannelTemplate => ({
  name,
  language,
  status: 'APPROVED',
  category: 'UTILITY',
  components,
})

const marketing = (one: ChannelTemplate): ChannelTemplate => ({ ...one, category: 'MARKETING' })

const body = (text: string, ...example: string[]): Component => ({
  type: 'BODY',
  text,
  ...(example.length > 0 && { example: { body_text: [example] } }),
})

const both = (name: string, { en, id }: { en: string; id: string }, ...example: string[]): ChannelTemplate[] => [
  template(name, 'en', body(en, ...example)),
  template(name, 'id', body(id, ...example)),
]

/** With named parameters. */
const namedBody = (text: string, examples: Record<string, string>): Component => ({
  type: 'BODY',
  text,
  example: {
    body_text_named_params: Object.entries(examples).map(([param_name, example]) => ({ param_name, example })),
  },
})

/** As Meta lists it, with the address of a sample file. */
const fileHeader = (format: string, file: string): Component => ({
  type: 'HEADER',
  format,
  example: { header_handle: [`https://scontent.example/${file}`] },
})

const picture = fileHeader('IMAGE', 'order.jpg')
const link = (text: string, base: string, example: string): Component => ({
  type: 'URL',
  text,
  url: `${base}{{1}}`,
  example: [`${base}${example}`],
})
const buttons = (...list: Component[]): Component => ({ type: 'BUTTONS', buttons: list })
const LINK = 'https://shop.example/pay/7f3a'

const orderTemplates: ChannelTemplate[] = [
  ...both('order_ready', { en: 'Your order is ready.', id: 'Pesanan Anda sudah siap.' }),
  ...both(
    'order_payment_instructions',
    {
      en: 'Order {{1}}: please pay {{2}}. Payment instructions: {{3}}',
      id: 'Pesanan {{1}}: silakan bayar {{2}}. Petunjuk pembayaran: {{3}}',
    },
    ...['A-1042', 'Rp 75.000', LINK],
  ),
  ...both(
    'order_partly_paid',
    {
      en: 'We received {{2}} for order {{1}}. Remaining amount: {{3}}. Pay here: {{4}}',
      id: 'Kami sudah menerima {{2}} untuk pesanan {{1}}. Sisa pembayaran: {{3}}. Bayar di sini: {{4}}',
    },
    ...['A-1042', 'Rp 50.000', 'Rp 25.000', LINK],
  ),
  ...both(
    'order_paid',
    {
      en: 'Thank you! We received {{2}} for order {{1}}.',
      id: 'Terima kasih! Pembayaran {{2}} untuk pesanan {{1}} sudah kami terima.',
    },
    ...['A-1042', 'Rp 75.000'],
  ),
  ...both(
    'order_payment_reversed',
    {
      en: 'Your bank reversed a payment of {{2}} for order {{1}}. Remaining amount: {{3}}. Pay here: {{4}}',
      id: 'Bank Anda membatalkan pembayaran {{2}} untuk pesanan {{1}}. Sisa pembayaran: {{3}}. Bayar di sini: {{4}}',
    },
    ...['A-1042', 'Rp 75.000', 'Rp 75.000', LINK],
  ),
  ...both(
    'order_paid_late',
    {
      en: 'Your payment for order {{1}} arrived after it had expired. Your payment is recorded; we will contact you.',
      id: 'Pembayaran Anda untuk pesanan {{1}} kami terima setelah kedaluwarsa. Pembayaran Anda sudah tercatat; kami akan menghubungi Anda.',
    },
    'A-1042',
  ),
  ...both(
    'order_confirmed',
    {
      en: 'Order {{1}} is confirmed. Total: {{2}}. {{3}}. Details: {{4}}',
      id: 'Pesanan {{1}} dikonfirmasi. Total: {{2}}. {{3}}. Rincian: {{4}}',
    },
    ...['A-1042', 'Rp 75.000', 'Pay in cash', LINK],
  ),
  ...both(
    'order_payment_reminder',
    {
      en: 'We have not received {{2}} for order {{1}} yet. Pay before {{3}}: {{4}}',
      id: 'Pembayaran {{2}} untuk pesanan {{1}} belum kami terima. Bayar sebelum {{3}}: {{4}}',
    },
    ...['A-1042', 'Rp 75.000', '18 Nov 2026, 15.02 WIB', LINK],
  ),
  ...both(
    'order_overdue',
    {
      en: 'The payment for order {{1}} is overdue. Remaining amount: {{2}}. Pay here: {{3}}',
      id: 'Pembayaran pesanan {{1}} sudah jatuh tempo. Sisa pembayaran: {{2}}. Bayar di sini: {{3}}',
    },
    ...['A-1042', 'Rp 75.000', LINK],
  ),
  ...both(
    'order_shipped',
    {
      en: 'Order {{1}} was shipped with {{2}}. Track it here: {{3}}',
      id: 'Pesanan {{1}} sudah dikirim dengan {{2}}. Lacak di sini: {{3}}',
    },
    ...['A-1042', 'JNE REG · JX1234567890', LINK],
  ),
  ...both(
    'order_delivered',
    { en: 'Order {{1}} was delivered. Thank you.', id: 'Pesanan {{1}} sudah sampai. Terima kasih.' },
    'A-1042',
  ),
  ...both(
    'order_expired',
    {
      en: 'The payment for order {{1}} has expired. Reply to this message if you still want the order.',
      id: 'Pembayaran pesanan {{1}} sudah kedaluwarsa. Balas pesan ini jika Anda masih berminat.',
    },
    'A-1042',
  ),
  ...both(
    'order_cancelled',
    {
      en: 'Order {{1}} was cancelled. If you have already paid, you will be refunded.',
      id: 'Pesanan {{1}} dibatalkan. Jika Anda sudah membayar, dana Anda akan dikembalikan.',
    },
    'A-1042',
  ),
  ...both(
    'order_refunded',
    {
      en: 'We refunded {{2}} for order {{1}}.',
      id: 'Dana {{2}} untuk pesanan {{1}} sudah kami kembalikan.',
    },
    ...['A-1042', 'Rp 75.000'],
  ),
]

const card: Component = {
  components: [picture, body('{{1}}', 'Kopi susu'), buttons({ type: 'QUICK_REPLY', text: 'Pesan' })],
}

const everyButton = buttons(
  { type: 'QUICK_REPLY', text: 'Nanti' },
  { type: 'COPY_CODE', example: 'HEMAT10' },
  { type: 'FLOW', text: 'Isi data' },
  { type: 'CATALOG', text: 'Katalog' },
  { type: 'MPM', text: 'Pilihan' },
)

const trialTemplates: ChannelTemplate[] = [
  template(
    'order_picture',
    'id',
    picture,
    body('Ini pesanan Anda.'),
    buttons({ type: 'QUICK_REPLY', text: 'Terima kasih' }),
  ),
  template(
    'order_link',
    'id',
    picture,
    body('Ini pesanan Anda.'),
    buttons(link('Lacak', 'https://shop.example/track/', 'JP-77')),
  ),
  template(
    'order_tracking',
    'id',
    picture,
    namedBody('Halo {{customer}}, pesanan {{order}} sudah dikirim.', { customer: 'Sari', order: 'A-1042' }),
    buttons(link('Lacak', 'https://shop.example/track/', 'JP-77')),
  ),
  template(
    'visit_confirmation',
    'en_US',
    body('Is this right, {{1}}?', 'Sari'),
    buttons({ type: 'FLOW', text: 'Confirm' }),
  ),
  marketing(
    template('promo', 'id', body('Promo {{1}} sampai {{2}} untuk {{3}}!', 'Rp 10.000', 'besok', 'Sari'), everyButton),
  ),
  ...both(
    'weekend_offer',
    { en: 'This weekend: {{1}} off all coffee.', id: 'Akhir pekan ini: diskon {{1}} untuk semua kopi.' },
    '10%',
  ).map(marketing),
  template('menu', 'id', body('Menu hari ini:'), { type: 'CAROUSEL', cards: [card, card] }),
  template('invoice', 'id', fileHeader('DOCUMENT', 'nota.pdf'), body('Nota untuk pesanan {{1}}.', 'A-1042')),
  template(
    'brewing_video',
    'id',
    fileHeader('VIDEO', 'seduh.mp4'),
    body('Begini cara menyeduh {{1}}.', 'kopi Gayo'),
    buttons({ type: 'QUICK_REPLY', text: 'Ada pertanyaan' }),
  ),
  template(
    'pickup_place',
    'en',
    { type: 'HEADER', format: 'LOCATION' },
    namedBody('Hi {{customer}}, order {{order}} waits for you here.', { customer: 'Sari', order: 'A-1042' }),
    { type: 'FOOTER', text: 'Open every day from 8 to 20' },
    buttons({ type: 'PHONE_NUMBER', text: 'Call us', phone_number: '+6281200009000' }),
  ),
  template(
    'parcel_sent',
    'en',
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['A-1042'] } },
    body('Your parcel {{1}} is on its way with {{2}}.', 'JP-77', 'JNE'),
    { type: 'FOOTER', text: 'Kopi Nusantara' },
    buttons(link('Track it', 'https://shop.example/parcels/', 'JP-77'), { type: 'QUICK_REPLY', text: 'Wrong address' }),
  ),
  template('sign_in_code', 'en', body('*{{1}}* is your code.', '481516'), buttons({ type: 'OTP', text: 'Copy code' })),
]

export const simulatorTemplates: readonly ChannelTemplate[] = [
  template('hello_world', 'en_US', body('Hello World. Welcome to this simulated WhatsApp.')),
  template('hello_world', 'id', body('Halo. Selamat datang di WhatsApp simulasi ini.')),
  ...orderTemplates,
  ...trialTemplates,
]

export type TemplateProblem = { error: NetworkError; details: string }

/** Null when the network would send it. `known` is the template that the content names, if there is one. */
export function templateProblem(content: TemplateContent, known: ChannelTemplate | null): TemplateProblem | null {
  const { name, language } = content
  if (known === null)
    return {
      error: networkErrors.templateUnknown,
      details: `There is no template "${name}" in the language "${language.code}".`,
    }
  if (known.status !== 'APPROVED')
    return { error: networkErrors.templateUnknown, details: `The template "${name}" is not approved.` }
  const [problem] = checkTemplateParameters(readBlanks(known.components), content)
  if (problem === undefined) return null
  const isCount = ['required', 'too_many', 'too_few'].includes(problem.code)
  const error = isCount ? networkErrors.templateParameters : networkErrors.templateFormat
  return { error, details: `${problem.path.join('.')}: ${problem.detail}` }
}
