import { documentTexts, type PrintedDocument } from '../../orders/documents/documents.ts'
import { escapeHtml } from '../../platform/http/escape-html.ts'
import { type PayPageFrame, renderContact, renderFrame, renderSeller } from './pay-frame.ts'

/** A receipt or an invoice as a page, with the rows that the PDF has. `pdfPath` is where the PDF is served. */
export function renderDocumentPage(document: PrintedDocument, frame: PayPageFrame, pdfPath: string): string {
  const texts = documentTexts[frame.language]
  const seller = { name: document.shop.name, about: document.number }
  const lines = document.shop.lines.map(escapeHtml).join('<br>')
  const items = document.items.map(
    ({ name, quantity, price, amount }) =>
      `<div><dt>${escapeHtml(name)}<br><small>${quantity} × ${price}</small></dt><dd>${amount}</dd></div>`,
  )
  const sums = document.sums.map(
    ({ label, value, isStrong }) => `<div${isStrong ? ' class="strong"' : ''}><dt>${label}</dt><dd>${value}</dd></div>`,
  )
  const payments = document.payments.length === 0 ? '' : `<h2>${texts.payments}</h2>${rowsOf(document.payments)}`
  const main = `<main class="document">
${renderSeller(frame, seller)}
${lines === '' ? '' : `<p class="says">${lines}</p>`}
<h1>${document.title}</h1>
${rowsOf(document.facts)}
<dl class="sums">${items.join('')}</dl>
<dl class="sums">${sums.join('')}</dl>
${payments}
<p class="paper"><a class="button" href="${escapeHtml(pdfPath)}?lang=${frame.language}">${texts.savePdf}</a></p>
${renderContact(frame, { name: document.shop.name, about: document.number })}
</main>`
  return renderFrame(frame, { title: `${document.title} ${document.number}`, main, isRefreshed: false })
}

const rowsOf = (rows: readonly { label: string; value: string }[]): string =>
  `<dl class="sums">${rows.map(({ label, value }) => `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>`
