import type { PaymentField } from '../../payment-connector.ts'
import { nmidField, qrisLimitField } from '../../qris/qris-account.fields.ts'
import { XENDIT_BANKS } from './xendit-capabilities.ts'

export const xenditFields: readonly PaymentField[] = [
  {
    name: 'secret_key',
    label: 'Secret key',
    help: 'from the Xendit dashboard, Settings, API keys; xnd_development_… is test mode. Needs write access to money-in.',
    isSecret: true,
    isRequired: true,
    placeholder: 'xnd_…',
    check: (text) => (/^[\x21-\x7e]+$/.test(text) ? null : 'A secret key is given without spaces, as Xendit shows it.'),
  },
  {
    name: 'callback_token',
    label: 'Webhook verification token',
    help: 'from the Xendit dashboard, Settings, Webhooks. Notifications without it are refused.',
    isSecret: true,
    isRequired: true,
    check: (text) =>
      /^[\x21-\x7e]+$/.test(text) ? null : 'A verification token is given without spaces, as Xendit shows it.',
  },
  {
    name: 'default_bank',
    label: 'Default bank',
    help: 'bank of virtual accounts when an order names none.',
    choices: XENDIT_BANKS,
    isSecret: false,
    isRequired: false,
    clean: (text) => text.trim().toLowerCase(),
    check: (text) => (XENDIT_BANKS.includes(text) ? null : `Xendit has these banks: ${XENDIT_BANKS.join(', ')}.`),
  },
  qrisLimitField,
  nmidField,
]
