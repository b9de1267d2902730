import { z } from 'zod'
import { paymentAccountLimitReached, paymentAccountNotFound } from '../../payments/accounts/accounts.errors.ts'
import {
  NewPaymentAccount,
  PaymentAccountChange,
  PaymentAccountShape,
} from '../../payments/accounts/accounts.schemas.ts'
import {
  createPaymentAccount,
  getPaymentAccount,
  holdPaymentAccounts,
  listPaymentAccounts,
  openPaymentAccount,
  type PaymentAccountsContext,
  presentPaymentAccount,
  updatePaymentAccount,
} from '../../payments/accounts/accounts.ts'
import { defineChange, defineRoute, type Route } from '../../platform/http/define-route.ts'
import { textSchema } from '../../platform/http/schemas.ts'
import { vetBaseUrl } from '../../platform/outbound-http/egress.ts'
import { ProbeResult, probed } from './probes.ts'
import { session } from './sign-in/session-caller.ts'

/** Payment accounts. Every member sees the payment methods; of credentials only the ends are shown. */
export type PaymentAccountRouteParts = { accounts: PaymentAccountsContext }

const params = z.object({ id: textSchema(40, 1) })
const shared = { tag: 'Payment accounts', description: 'Of the console.' } as const
const managed = { ...shared, access: session('settings:manage') } as const

const example = {
  object: 'payment_account',
  id: 'pac_01kmz3v7n2e0a8tq9fj6hx5c4d',
  provider: 'simulator',
  name: 'Simulator',
  state: 'active',
  base_url: null,
  credentials: { notice_key: '…7d2a' },
  settings: {},
  methods: [
    {
      method: 'qris',
      banks: [],
      channels: [
        {
          channel: null,
          amount_min: 1,
          amount_max: 10_000_000,
          expires_in_seconds: 900,
          is_refundable: true,
          needs_phone: false,
        },
      ],
      is_default: true,
      is_manual: false,
      is_refundable: true,
    },
  ],
  webhook_url: 'https://pay.example.com/hooks/simulator/pac_01kmz3v7n2e0a8tq9fj6hx5c4d',
  last_notice_at: null,
  last_error: null,
  created_at: '2026-11-14T09:30:00.000Z',
  updated_at: '2026-11-14T09:30:00.000Z',
}

export const paymentAccountRoutes = ({ accounts }: PaymentAccountRouteParts): Route[] => [
  defineRoute({
    ...shared,
    id: 'listPaymentAccounts',
    method: 'GET',
    path: '/payment-accounts',
    summary: 'List payment accounts',
    access: session(null),
    reply: { status: 200, body: z.object({ data: z.array(PaymentAccountShape) }) },
    example: { reply: { data: [example] } },
    async handle({ caller: { orgId } }) {
      const rows = await listPaymentAccounts(accounts.database, orgId)
      return { data: rows.map((row) => presentPaymentAccount(accounts, row)) }
    },
  }),
  defineRoute({
    ...shared,
    id: 'getPaymentAccount',
    method: 'GET',
    path: '/payment-accounts/{id}',
    summary: 'Get a payment account',
    access: session(null),
    params,
    reply: { status: 200, body: PaymentAccountShape },
    errors: [paymentAccountNotFound],
    example: { params: { id: example.id }, reply: example },
    handle: async ({ params: { id }, caller: { orgId }, queries }) =>
      presentPaymentAccount(accounts, await getPaymentAccount(queries, orgId, id)),
  }),
  defineRoute({
    ...managed,
    id: 'createPaymentAccount',
    method: 'POST',
    path: '/payment-accounts',
    summary: 'Connect a payment account',
    body: NewPaymentAccount,
    reply: { status: 201, body: PaymentAccountShape },
    errors: [paymentAccountLimitReached],
    example: { body: { provider: 'simulator' }, reply: example },
    precheck: ({ body }) => vetBaseUrl(body.base_url, accounts.egress),
    idempotency: 'transaction',
    handle: async ({ tx, body, caller: { orgId } }) =>
      presentPaymentAccount(accounts, await createPaymentAccount(accounts, tx, orgId, body)),
  }),
  defineChange({
    ...managed,
    id: 'updatePaymentAccount',
    method: 'PATCH',
    path: '/payment-accounts/{id}',
    summary: 'Edit a payment account',
    params,
    body: PaymentAccountChange,
    reply: { status: 200, body: PaymentAccountShape },
    errors: [paymentAccountNotFound],
    example: { params: { id: example.id }, body: { state: 'paused' }, reply: { ...example, state: 'paused' } },
    precheck: ({ body }) => vetBaseUrl(body.base_url, accounts.egress),
    lock: (tx, { caller: { orgId } }) => holdPaymentAccounts(tx, orgId),
    handle: async ({ tx, params: { id }, body, caller: { orgId } }) =>
      presentPaymentAccount(accounts, await updatePaymentAccount(accounts, tx, orgId, { ...body, id })),
  }),
  defineRoute({
    ...managed,
    id: 'probePaymentAccount',
    method: 'POST',
    path: '/payment-accounts/{id}/probe',
    summary: 'Test the credentials',
    params,
    reply: { status: 200, body: ProbeResult },
    errors: [paymentAccountNotFound],
    example: { params: { id: example.id }, reply: { ok: true, failure: null, took_ms: 120 } },
    async handle({ params: { id }, caller: { orgId } }) {
      const row = await getPaymentAccount(accounts.database, orgId, id)
      const { connector } = accounts.providers[row.provider]
      return probed((signal) => connector.probe(openPaymentAccount(accounts, row), signal))
    },
  }),
]
