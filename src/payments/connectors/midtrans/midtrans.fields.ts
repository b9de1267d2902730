import type { PaymentField } from '../../payment-connector.ts'
import { nmidField, qrisLimitField } from '../../qris/qris-account.fields.ts'
import { MIDTRANS_BANKS } from './midtrans-capabilities.ts'

const QRIS_ACQUIRERS = ['gopay', 'airpay shopee']

export const midtransFields: readonly PaymentField[] = [
  {
    name: 'server_key',
    label: 'Server key',
    help: 'from the Midtrans dashboard, Settings, Access Keys. Sandbox and production have different keys.',
    isSecret: true,
    isRequired: true,
    placeholder: 'Mid-server-…',
    check: (text) =>
      /^[\x21-\x7e]+$/.test(text) ? null : 'A server key is given without spaces, as Midtrans shows it.',
  },
  {
    name: 'default_bank',
    label: 'Default bank',
    help: 'bank of virtual accounts when an order names none.',
    choices: MIDTRANS_BANKS,
    isSecret: false,
    isRequired: false,
    clean: (text) => text.trim().toLowerCase(),
    check: (text) => (MIDTRANS_BANKS.includes(text) ? null : `Midtrans has these banks: ${MIDTRANS_BANKS.join(', ')}.`),
  },
  {
    name: 'qris_acquirer',
    label: 'QRIS acquirer',
    help: 'issuer of QRIS codes: gopay (the default) or airpay shopee.',
    isSecret: false,
    isRequired: false,
    clean: (text) => text.trim().toLowerCase(),
    check: (text) => (QRIS_ACQUIRERS.includes(text) ? null : `The acquirer is one of ${QRIS_ACQUIRERS.join(', ')}.`),
  },
  qrisLimitField,
  nmidField,
]
