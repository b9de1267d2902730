import type { Clock } from '../../kernel/clock.ts'
import type { PaymentConnector, PaymentProviderDefinition } from '../payment-connector.ts'
import { manual } from './manual/manual.ts'
import { midtrans } from './midtrans/midtrans.ts'
import { simulator } from './simulator/simulator.ts'
import { xendit } from './xendit/xendit.ts'

/** Every payment provider, in the order in which they are shown. A new provider is one line here. */
const definitions = [simulator, midtrans, xendit, manual] as const

export type PaymentProvider = (typeof definitions)[number]['name']

export const paymentProviders: readonly PaymentProvider[] = definitions.map(({ name }) => name)

/** Providers that report by notices. */
export const notifyingProviders: readonly PaymentProvider[] = definitions
  .filter(({ hasNotices }) => hasNotices)
  .map(({ name }) => name)

/** A provider with its connector, as the app wiring creates it. */
export type CreatedProvider = PaymentProviderDefinition & { connector: PaymentConnector }

export type PaymentProviders = Readonly<Record<PaymentProvider, CreatedProvider>>

export const createPaymentProviders = (options: { clock: Clock }): PaymentProviders =>
  Object.fromEntries(
    definitions.map((definition) => [definition.name, { ...definition, connector: definition.create(options) }]),
  ) as PaymentProviders
