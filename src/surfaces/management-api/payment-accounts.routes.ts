import { z } from 'zod'
import { sandboxSimulatorsOnly } from '../../accounts/accounts.errors.ts'
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
  type PaymentAccountsContext,
  presentPaymentAccount,
  updatePaymentAccount,
} from '../../payments/accounts/accounts.ts'
import { defineList, placeById } from '../../platform/http/define-list.ts'
import { defineChange, defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import { idSchema } from '../../platform/http/schemas.ts'
import { vetBaseUrl } from '../../platform/outbound-http/egress.ts'
import { beyondSchema, pageOf, pageQuery } from './shared.ts'

/** Payment accounts by API. Credentials are write-only: an answer has their last characters at most. */
export type PaymentAccountRouteParts = { paymentAccounts: PaymentAccountsContext }

const params = z.object({ id: idSchema('pac') })
const shared = { tag: 'Payment accounts' } as const

const example = {
  object: 'payment_account',
  id: 'pac_01kmz3v7n2e0a8tq9fj6hx5c4d',
  provider: 'simulator',
  name: 'Simulator',
  state: 'active',
  base_url: null,
  credentials: { notice_key: '…7d2a' },
  settings: {},
  methods: [{ method: 'qris', banks: [], channels: [], is_default: true, is_manual: false, is_refundable: true }],
  webhook_url: 'https://pay.example.com/hooks/simulator/pac_01kmz3v7n2e0a8tq9fj6hx5c4d',
  last_notice_at: null,
  last_error: null,
  created_at: '2026-11-14T09:30:00.000Z',
  updated_at: '2026-11-14T09:30:00.000Z',
}

export const paymentAccountRoutes = ({ paymentAccounts: accounts }: PaymentAccountRouteParts): Route[] => [
  defineList({
    ...shared,
    id: 'listPaymentAccounts',
    path: '/payment-accounts',
    summary: 'List payment accounts',
    description: 'All payment accounts of the organization, newest first, with the methods that each one serves.',
    access: key('settings:read'),
    query: pageQuery,
    item: PaymentAccountShape,
    example: { items: [example] },
    list: 'payment-accounts',
    sort: '-id',
    read: async ({ caller: { orgId }, queries, ...page }) => pageOf(await listPaymentAccounts(queries, orgId), page),
    place: placeById,
    present: (rows) => rows.map((row) => presentPaymentAccount(accounts, row)),
  }),
  defineRoute({
    ...shared,
    id: 'getPaymentAccount',
    method: 'GET',
    path: '/payment-accounts/{id}',
    summary: 'Get a payment account',
    description: 'Returns one payment account with its methods.',
    access: key('settings:read'),
    params,
    reply: { status: 200, body: PaymentAccountShape },
    errors: [paymentAccountNotFound],
    example: { params: { id: example.id }, reply: example },
    handle: async ({ params: { id }, caller: { orgId }, queries }) =>
      presentPaymentAccount(accounts, await getPaymentAccount(queries, orgId, id)),
  }),
  defineRoute({
    ...shared,
    id: 'createPaymentAccount',
    method: 'POST',
    path: '/payment-accounts',
    summary: 'Connect a payment account',
    description:
      'Connects an account of a payment provider. Which `credentials` and `settings` it takes depends on the provider; a missing or wrong one is 409 `value_refused`. Register `webhook_url` at the provider. `default_methods` are the methods for which this account is used first.',
    access: key('settings:write'),
    body: NewPaymentAccount,
    reply: { status: 201, body: PaymentAccountShape },
    location: ({ id }) => `/payment-accounts/${id}`,
    errors: [paymentAccountLimitReached, sandboxSimulatorsOnly, valueRefused],
    idempotency: 'transaction',
    example: { body: { provider: 'simulator' }, reply: example },
    precheck: ({ body }) => vetBaseUrl(body.base_url, accounts.egress),
    handle: ({ tx, body, caller: { orgId } }) =>
      beyondSchema(async () => presentPaymentAccount(accounts, await createPaymentAccount(accounts, tx, orgId, body))),
  }),
  defineChange({
    ...shared,
    id: 'updatePaymentAccount',
    method: 'PATCH',
    path: '/payment-accounts/{id}',
    summary: 'Edit a payment account',
    description:
      'Changes the fields you send. Credentials and settings are replaced one by one, and `null` removes one. With `state`, `paused` ends new payments, and `disabled` also refuses notifications. Another `base_url` needs all credentials again.',
    access: key('settings:write'),
    params,
    body: PaymentAccountChange,
    reply: { status: 200, body: PaymentAccountShape },
    errors: [paymentAccountNotFound, valueRefused],
    example: { params: { id: example.id }, body: { state: 'paused' }, reply: { ...example, state: 'paused' } },
    precheck: ({ body }) => vetBaseUrl(body.base_url, accounts.egress),
    lock: (tx, { caller: { orgId } }) => holdPaymentAccounts(tx, orgId),
    handle: ({ tx, params: { id }, body, caller: { orgId } }) =>
      beyondSchema(async () =>
        presentPaymentAccount(accounts, await updatePaymentAccount(accounts, tx, orgId, { ...body, id })),
      ),
  }),
]
