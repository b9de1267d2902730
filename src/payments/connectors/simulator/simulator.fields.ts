import { randomBytes } from 'node:crypto'
import type { PaymentField } from '../../payment-connector.ts'
import { qrisLimitField } from '../../qris/qris-account.fields.ts'
import { SIMULATED_BANKS } from './simulated-payables.ts'

export const simulatorFields: readonly PaymentField[] = [
  {
    name: 'notice_key',
    label: 'Notice key',
    help: 'signs the notices of the simulator; made by itself.',
    isSecret: true,
    isRequired: true,
    generate: () => randomBytes(32).toString('base64url'),
    check: (text) => (text.length >= 16 ? null : 'The notice key must have at least 16 characters.'),
  },
  {
    name: 'merchant_name',
    label: 'Merchant name',
    help: "shown to the payer instead of the organization's name.",
    isSecret: false,
    isRequired: false,
    lengthMax: 25,
  },
  {
    name: 'default_bank',
    label: 'Default bank',
    help: 'for virtual accounts when an order names no bank.',
    choices: SIMULATED_BANKS,
    isSecret: false,
    isRequired: false,
    clean: (text) => text.trim().toLowerCase(),
    check: (text) =>
      SIMULATED_BANKS.includes(text) ? null : `The simulator has these banks: ${SIMULATED_BANKS.join(', ')}.`,
  },
  qrisLimitField,
]
