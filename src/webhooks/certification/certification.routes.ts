import { z } from 'zod'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import { idSchema } from '../../platform/http/schemas.ts'
import { webhookEndpointNotFound, webhookFormatUnsupported } from '../endpoints/endpoints.errors.ts'
import { TAG } from '../endpoints/endpoints.schemas.ts'
import { certificationNotFound, certificationRunning } from './certification.errors.ts'
import { Certification, completedExample, pendingExample } from './certification.schemas.ts'
import { getCertification, presentCertification, requestCertification } from './certification.ts'

export const certificationRoutes = (context: { database: Database; clock: Clock }) => [
  defineRoute({
    id: 'certifyWebhookEndpoint',
    method: 'POST',
    path: '/webhook-endpoints/{id}/certify',
    tag: TAG,
    summary: 'Certify a webhook endpoint',
    description:
      'Sends about a dozen signed probes to the receiver, valid and invalid, and grades its behaviour: forged and missing signatures, old and future timestamps, duplicates, reordered, large and unusual events, rotated secrets. The report names the likely bug. Probes have `"test": true`, appear in no other log and do not affect the endpoint, which may be paused. Poll the certification for its report; it takes a few seconds.',
    access: key('webhooks:write'),
    idempotency: 'transaction',
    params: z.object({ id: idSchema('wep') }),
    reply: { status: 202, body: Certification },
    location: (reply) => `/webhook-endpoints/${reply.endpoint_id}/certifications/${reply.id}`,
    errors: [webhookEndpointNotFound, webhookFormatUnsupported, certificationRunning],
    example: { params: { id: pendingExample.endpoint_id }, reply: pendingExample },
    handle: async ({ tx, caller, params }) =>
      presentCertification(await requestCertification(context, tx, caller.orgId, params.id)),
  }),
  defineRoute({
    id: 'getWebhookCertification',
    method: 'GET',
    path: '/webhook-endpoints/{id}/certifications/{certification_id}',
    tag: TAG,
    summary: 'Get a certification',
    description:
      'Returns the status of a certification and, once completed, its report: every probe with the request, the expected behaviour and the response, and the likely bugs, worst first.',
    access: key('webhooks:read'),
    agentTool: true,
    params: z.object({ id: idSchema('wep'), certification_id: idSchema('job') }),
    reply: { status: 200, body: Certification },
    errors: [webhookEndpointNotFound, certificationNotFound],
    example: {
      params: { id: completedExample.endpoint_id, certification_id: completedExample.id },
      reply: completedExample,
    },
    handle: async ({ caller, params }) =>
      presentCertification(
        await getCertification(context.database, caller.orgId, { id: params.certification_id, endpointId: params.id }),
      ),
  }),
]
