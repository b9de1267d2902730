import { z } from 'zod'
import { passwordWrong } from '../../accounts/people/people.errors.ts'
import { defineRoute, key, type Route } from '../../platform/http/define-route.ts'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import { deliveryNotFound } from '../../webhooks/deliveries/deliveries.errors.ts'
import { attemptStatistics } from '../../webhooks/deliveries/deliveries.ts'
import { webhookEndpointNotFound } from '../../webhooks/endpoints/endpoints.errors.ts'
import { getEndpoint } from '../../webhooks/endpoints/endpoints.ts'
import { revealSecret } from '../../webhooks/management/management.ts'
import type { Webhooks } from '../../webhooks/webhooks.ts'
import { ranges } from './home/statistics.schemas.ts'
import { PasswordProof } from './sign-in/auth.schemas.ts'
import type { Asker } from './sign-in/auth-question.ts'
import { passwordProblem } from './sign-in/password-problem.ts'
import { session } from './sign-in/session-caller.ts'

/** What the pages of webhooks show beyond the public API: attempts in charts, the payload of a delivery, and the secret to a person who proves to be who they are. */
const params = z.object({ id: idSchema('wep') })
const shared = { tag: 'Webhooks', description: 'Of the console.' } as const
const id = 'wep_01k9x3m5q8e0t9v7a2b4c6d8fg'

const milliseconds = z.number().min(0).nullable()
const EndpointStatistics = z
  .object({
    buckets: z.array(
      z.object({
        at: timeSchema,
        succeeded: z.int().min(0),
        failed: z.int().min(0),
        p50_ms: milliseconds,
        p95_ms: milliseconds,
      }),
    ),
  })
  .meta({ id: 'EndpointStatistics' })

const SHAPES = {
  '24h': { buckets: 24, bucketSeconds: 3600 },
  '7d': { buckets: 28, bucketSeconds: 6 * 3600 },
  '30d': { buckets: 30, bucketSeconds: 24 * 3600 },
} as const

const deliveryId = 'dlv_01k9x3m5q8e0t9v7a2b4c6d8fg'

export const endpointRoutes = (
  { context, readPayload }: Pick<Webhooks, 'context' | 'readPayload'>,
  ask: Asker,
): Route[] => [
  defineRoute({
    ...shared,
    id: 'getDeliveryPayload',
    method: 'GET',
    path: '/deliveries/{id}/payload',
    summary: 'The body of a delivery as its endpoint gets it',
    access: key('webhooks:read'),
    params: z.object({ id: idSchema('dlv') }),
    reply: {
      status: 200,
      body: z
        .object({
          body: z.string().nullable().meta({ description: 'Null when the event was erased or has expired.' }),
        })
        .meta({ id: 'DeliveryPayload' }),
    },
    errors: [deliveryNotFound],
    example: { params: { id: deliveryId }, reply: { body: '{}' } },
    handle: async ({ params, caller }) => ({ body: await readPayload(caller.orgId, params.id) }),
  }),
  defineRoute({
    ...shared,
    id: 'getEndpointStatistics',
    method: 'GET',
    path: '/webhook-endpoints/{id}/statistics',
    summary: 'Outcomes and latency of the attempts at an endpoint',
    access: key('webhooks:read'),
    params,
    query: z.object({ range: z.enum(ranges).default('24h') }),
    reply: { status: 200, body: EndpointStatistics },
    errors: [webhookEndpointNotFound],
    example: { params: { id }, reply: { buckets: [] } },
    async handle({ params, query: { range }, caller }) {
      const { database, clock } = context
      const { id: endpointId } = await getEndpoint(database, caller.orgId, params.id)
      const shape = SHAPES[range]
      const stepMs = shape.bucketSeconds * 1000
      const to = (Math.floor(clock.now() / stepMs) + 1) * stepMs
      const from = new Date(to - shape.buckets * stepMs)
      return { buckets: await attemptStatistics(database, caller.orgId, { endpointId, from, ...shape }) }
    },
  }),
  defineRoute({
    ...shared,
    id: 'revealWebhookSecret',
    method: 'POST',
    path: '/webhook-endpoints/{id}/reveal-secret',
    summary: 'Show the signing secret of an endpoint again',
    access: session('keys:manage'),
    params,
    body: PasswordProof,
    reply: { status: 200, body: z.object({ secret: textSchema(200) }) },
    errors: [passwordWrong, webhookEndpointNotFound],
    showsSecret: true,
    example: { params: { id }, body: { password: 'correct horse battery' }, reply: { secret: 'whsec_…' } },
    async handle({ params, body, caller, ...asked }) {
      const proof = await ask(asked, { method: 'POST', path: '/verify-password', body })
      if (proof.status !== 200) throw passwordProblem(proof, 'password')
      return { secret: await revealSecret(context, caller.orgId, params.id) }
    },
  }),
]
