import type { ChannelTemplate } from '../../channel-connector.ts'
import type { TemplateComponent, TemplateContent } from '../../message-content.ts'
import { type NetworkError, networkErrors } from './network-errors.ts'

/** The templates that the simulated network has approved: what an order needs to tell, in English and Indonesian. */
const template = (name: string, language: string, text: string, example: string[] = []): ChannelTemplate => ({
  name,
  language,
  status: 'APPROVED',
  category: 'UTILITY',
  components: [{ type: 'BODY', text, ...(example.length > 0 && { example: { body_text: [example] } }) }],
})

const PAY = ['A-1042', 'Rp 75.000', 'https://shop.example/pay/7f3a']
const AMOUNT = ['A-1042', 'Rp 75.000']
const ORDER = ['A-1042']

export const simulatorTemplates: readonly ChannelTemplate[] = [
  template('hello_world', 'en_US', 'Hello World. Welcome to this simulated WhatsApp.'),
  template('hello_world', 'id', 'Halo. Selamat datang di WhatsApp simulasi ini.'),
  template('order_ready', 'en', 'Your order is ready.'),
  template('order_ready', 'id', 'Pesanan Anda sudah siap.'),
  template('order_payment_instructions', 'en', 'Order {{1}}: please pay {{2}}. This is how: {{3}}', PAY),
  template('order_payment_instructions', 'id', 'Pesanan {{1}}: silakan bayar {{2}}. Caranya: {{3}}', PAY),
  template('order_paid', 'en', 'Thank you! We received {{2}} for order {{1}}.', AMOUNT),
  template('order_paid', 'id', 'Terima kasih! Pembayaran {{2}} untuk pesanan {{1}} sudah kami terima.', AMOUNT),
  template('order_expired', 'en', 'The time to pay for order {{1}} is over. Write to us if you still want it.', ORDER),
  template(
    'order_expired',
    'id',
    'Waktu pembayaran pesanan {{1}} sudah habis. Hubungi kami bila masih berminat.',
    ORDER,
  ),
  template('order_refunded', 'en', 'We refunded {{2}} for order {{1}}.', AMOUNT),
  template('order_refunded', 'id', 'Dana {{2}} untuk pesanan {{1}} sudah kami kembalikan.', AMOUNT),
]

export type TemplateProblem = { error: NetworkError; details: string }

/** Null when the network would send it. */
export function templateProblem({ name, language, components = [] }: TemplateContent): TemplateProblem | null {
  const known = simulatorTemplates.find((one) => one.name === name && one.language === language.code)
  if (known === undefined)
    return {
      error: networkErrors.templateUnknown,
      details: `There is no template "${name}" in the language "${language.code}".`,
    }
  const expected = placeholders(known)
  const given = parameterCount(components, 'body')
  const elsewhere = components.reduce((sum, { parameters }) => sum + (parameters?.length ?? 0), 0) - given
  if (given === expected && elsewhere === 0) return null
  return {
    error: networkErrors.templateParameters,
    details: `"${name}" takes ${expected} parameters in its body and none elsewhere, and got ${given} and ${elsewhere}.`,
  }
}

const parameterCount = (components: readonly TemplateComponent[], type: string): number =>
  components
    .filter((component) => component.type.toLowerCase() === type)
    .reduce((sum, { parameters }) => sum + (parameters?.length ?? 0), 0)

const placeholders = ({ components }: ChannelTemplate): number =>
  new Set(components.flatMap(({ text }) => String(text ?? '').match(/\{\{\d+\}\}/g) ?? [])).size
