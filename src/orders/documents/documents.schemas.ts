import { z } from 'zod'
import { idSchema, textSchema, timeSchema } from '../../platform/http/schemas.ts'
import { documentKinds } from './documents.sql.ts'

export const OrderDocument = z
  .object({
    object: z.literal('order_document'),
    id: idSchema('doc'),
    kind: z.enum(documentKinds),
    number: textSchema(20).meta({ description: 'Without gaps within the organization and the kind: `INV-000012`.' }),
    order_id: idSchema('ord'),
    url: textSchema(2048).meta({
      description: 'A page with the document. It needs no sign-in, cannot be guessed and names the customer.',
    }),
    pdf_url: textSchema(2048).meta({ description: 'The same as PDF. Add `?lang=en` or `?lang=id` for a language.' }),
    issued_at: timeSchema,
  })
  .meta({
    id: 'OrderDocument',
    description: 'A receipt or an invoice of an order. It shows the order and its payments as they are now.',
  })

export type OrderDocumentView = z.input<typeof OrderDocument>

const PAGE = 'http://127.0.0.1:3900/pay/A-mhzT_rB9gUEhh0K3YWFK0BnoG0t3TgDpHkqL0N0I2eWp9c3Lw8Sx5mJd2Q1vTq'

export const documentExample = {
  object: 'order_document' as const,
  id: 'doc_01k9x3m5q8e0t9v7a2b4c6d8fg' as const,
  kind: 'receipt' as const,
  number: 'RCP-000012',
  order_id: 'ord_01k9x3m5q8e0t9v7a2b4c6d8fg' as const,
  url: PAGE,
  pdf_url: `${PAGE}/document.pdf`,
  issued_at: '2026-11-14T09:31:12.000Z',
}
