import type { Clock } from '../kernel/clock.ts'
import { manualFields } from '../payments/connectors/manual/manual.fields.ts'
import { manualConnector } from '../payments/connectors/manual/manual.ts'
import { midtransFields } from '../payments/connectors/midtrans/midtrans.fields.ts'
import { createMidtransConnector } from '../payments/connectors/midtrans/midtrans.ts'
import { simulatorFields } from '../payments/connectors/simulator/simulator.fields.ts'
import { simulatorConnector } from '../payments/connectors/simulator/simulator.ts'
import { xenditFields } from '../payments/connectors/xendit/xendit.fields.ts'
import { createXenditConnector } from '../payments/connectors/xendit/xendit.ts'
import type { PaymentProviderParts } from '../payments/payment-fields.ts'
import { createSecretBox, deriveKey, type SecretBox } from '../platform/database/secret-box.ts'

/** What the server and the commands must agree on: which providers there are, and how their credentials are sealed. */
export const paymentSecretBox = (secretKey: string): SecretBox =>
  createSecretBox(deriveKey(secretKey, 'payment credentials'))

export const paymentProviderParts = (clock: Clock): PaymentProviderParts => ({
  simulator: { connector: simulatorConnector, fields: simulatorFields, hasNotices: true },
  midtrans: { connector: createMidtransConnector({ clock }), fields: midtransFields, hasNotices: true },
  xendit: { connector: createXenditConnector({ clock }), fields: xenditFields, hasNotices: true },
  manual: { connector: manualConnector, fields: manualFields, hasNotices: false },
})
