import { readLogo, shopDetailsOf } from '../../accounts/shop-details/shop-details.ts'
import { newId, type OrgId } from '../../kernel/ids.ts'
import type { PaymentLinks } from '../../payments/attempts/attempts.ts'
import { type Language, languageOf } from '../notices/notices.ts'
import { getOrder, readOrder } from '../orders/orders.ts'
import { documentNotAvailable } from '../orders.errors.ts'
import type { DocumentFile, OrdersContext } from '../orders-context.ts'
import { isGivenUp } from '../settlement/orders.states.ts'
import { renderPdf } from './document-pdf.ts'
import {
  type DocumentKind,
  type DocumentRow,
  findDocument,
  findDocumentOf,
  insertDocument,
  lockDocumentCounter,
  saveDocumentCounter,
} from './documents.sql.ts'
import { type PrintedDocument, printDocument, type WholeOrder } from './printed-document.ts'

export { documentTexts } from './document-texts.ts'
export { type DocumentKind, documentKinds } from './documents.sql.ts'
export { inspectLogo, LOGO_BYTES_MAX, LOGO_PIXELS_MAX } from './logo-image.ts'
export { documentNumberOf, type PrintedDocument } from './printed-document.ts'
export { createDocumentSender, refuseDocument } from './send-document.ts'

/**
 * Receipts and invoices. A document is numbered when it is first asked for; what it says is read from the order and its ledger
 * each time, so that a later payment or refund is on it.
 */
export type OrderDocument = DocumentRow

type Named = { orderId: string; kind: DocumentKind }

/** Returns the document of an order, and issues it when there is none yet. */
export async function issueDocument(
  { database, clock }: OrdersContext,
  orgId: OrgId,
  { orderId, kind }: Named,
): Promise<OrderDocument> {
  const order = await getOrder(database, orgId, orderId)
  const wanted = { orderId: order.id, kind }
  const known = await findDocumentOf(database, orgId, wanted)
  if (known !== null) return known
  const isDue = kind === 'receipt' ? order.amount_paid > 0 : order.total !== null && !isGivenUp(order.status)
  if (!isDue || order.status === 'draft') {
    const { status, payment_status } = order
    throw documentNotAvailable({ params: { kind, status, payment_status } })
  }
  return database.transaction(async (tx) => {
    const number = (await lockDocumentCounter(tx, orgId, kind)).last_number + 1
    const earlier = await findDocumentOf(tx, orgId, wanted)
    if (earlier !== null) return earlier
    const now = clock.now()
    const issued_at = new Date(now)
    const row: DocumentRow = { org_id: orgId, id: newId('doc', now), kind, number, order_id: order.id, issued_at }
    await insertDocument(tx, row)
    await saveDocumentCounter(tx, orgId, row)
    return row
  })
}

export const findIssued = ({ database }: OrdersContext, orgId: OrgId, id: string): Promise<OrderDocument | null> =>
  findDocument(database, orgId, id)

type Printing = { language?: Language | null; hasCustomer: boolean }

/** Reads what the document says now. In the language of the organization by default. */
export async function readDocument(
  context: OrdersContext,
  document: OrderDocument,
  { language, hasCustomer }: Printing,
): Promise<PrintedDocument> {
  const { org_id: orgId, order_id: orderId } = document
  const profile = await context.profiles.read(orgId)
  const shop = shopDetailsOf(profile)
  const [order, image] = await Promise.all([
    readOrder(context, orgId, orderId) as Promise<WholeOrder>,
    shop.logo === null ? null : readLogo(context.database, orgId),
  ])
  const phone = shop.phone ?? (await context.findShopPhone(orgId))
  const words = language ?? languageOf(profile)
  return printDocument({ document, order, shop: { ...shop, phone, image }, language: words, hasCustomer })
}

export const renderDocument = (document: PrintedDocument): Promise<Uint8Array> => renderPdf(document)

/** The link names the customer; the payment page of the order links to the same document without the name. */
export const documentUrlOf = ({ tokens, publicUrl }: PaymentLinks, { org_id: orgId, id }: OrderDocument): string =>
  `${publicUrl}/pay/${tokens.create({ orgId, id })}`

/** The document of an order as a file, for the customer. */
export async function renderForCustomer(context: OrdersContext, orgId: OrgId, named: Named): Promise<DocumentFile> {
  const document = await issueDocument(context, orgId, named)
  const printed = await readDocument(context, document, { hasCustomer: true })
  return { bytes: await renderPdf(printed), mimeType: 'application/pdf', filename: `${printed.number}.pdf` }
}
