import { z } from 'zod'
import { initiatorOf } from '../../events/events.ts'
import { findMessage } from '../../messaging/messages/messages.ts'
import { messageNotFound } from '../../messaging/messaging.errors.ts'
import { presentPayment } from '../../payments/attempts/attempts.ts'
import { paymentNotFound } from '../../payments/payments.errors.ts'
import { Payment, PaymentProofRequest, provenPaymentExample } from '../../payments/payments.schemas.ts'
import { getPaymentById } from '../../payments/payments.ts'
import { defineRoute, key } from '../../platform/http/define-route.ts'
import { valueRefused } from '../../platform/http/http.errors.ts'
import { refuseValues } from '../../platform/http/pipeline/validation.ts'
import { idSchema } from '../../platform/http/schemas.ts'
import type { OrdersContext } from '../orders-context.ts'
import { attachProof } from './proofs.ts'

const NO_FILE = {
  pointer: '#/message_id',
  code: 'file_missing',
  detail: 'This message contains no file. Choose a message with a picture or a document.',
}

export const proofRoutes = (context: OrdersContext) => [
  defineRoute({
    id: 'addPaymentProof',
    method: 'POST',
    path: '/payments/{id}/proofs',
    tag: 'Payments',
    summary: 'Attach a proof of payment',
    description:
      'Attaches the picture or document of a message to a payment. The same message again changes nothing, and nothing is marked as paid. Files that customers send while they have an open manual transfer are attached automatically.',
    access: key('orders:write'),
    idempotency: 'transaction',
    params: z.object({ id: idSchema('pay') }),
    body: PaymentProofRequest,
    reply: { status: 200, body: Payment },
    errors: [paymentNotFound, messageNotFound, valueRefused],
    example: {
      params: { id: provenPaymentExample.id },
      body: { message_id: 'msg_01k9x3m5q8e0t9v7a2b4c6d8fg' },
      reply: provenPaymentExample,
    },
    async handle({ tx, params: { id }, body, ...request }) {
      const { orgId } = request.caller
      const payment = await getPaymentById(tx, orgId, id)
      if (payment === null) throw paymentNotFound({ params: { id } })
      const message = await findMessage(tx, orgId, body.message_id)
      if (message === null) throw messageNotFound({ params: { id: body.message_id } })
      const proven = await attachProof(context, tx, orgId, { payment, message, initiator: initiatorOf(request) })
      if (proven === null) throw refuseValues([NO_FILE])
      return presentPayment(context.payments.context, proven)
    },
  }),
]
