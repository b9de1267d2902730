import { formatRupiah } from '../../orders/notices/notices.ts'
import type { PaymentLinkView } from '../../orders/payment-links/payment-links.schemas.ts'
import type { LinkProblem } from '../../orders/payment-links/payment-links.ts'
import { escapeHtml } from '../../platform/http/escape-html.ts'
import { type LinkTexts, linkTexts } from './link-texts.ts'
import { type PayPageFrame, renderContact, renderFrame, renderSeller } from './pay-frame.ts'

export type LinkPage = { link: PaymentLinkView; shopName: string; problem: LinkProblem | null }

/** The page of a payment link: what is paid, the amount where the payer chooses it, and who pays. It works without a script. */
export function renderLinkPage({ link, shopName, problem }: LinkPage, frame: PayPageFrame): string {
  const texts = linkTexts[frame.language]
  const isOpen = link.status === 'active'
  const says =
    problem === null || !isOpen
      ? ''
      : problem === 'amount'
        ? texts.amountOutside(rangeOf(link, texts))
        : texts.problems[problem]
  const main = `<main data-state="${isOpen ? 'choosing' : 'expired'}">
${renderSeller(frame, { name: shopName, about: '' })}
<h1 class="state">${escapeHtml(link.title)}</h1>
${link.description === null ? '' : `<p class="says">${escapeHtml(link.description).replaceAll('\n', '<br>')}</p>`}
${says === '' ? '' : `<p class="problem" role="alert">${says}</p>`}
${isOpen ? renderForm(link, frame, texts) : `<p class="says">${texts.closed[link.status]}</p>`}
${renderContact(frame, { name: shopName, about: link.title })}
</main>`
  return renderFrame(frame, { title: `${shopName} · ${link.title}`, main, isRefreshed: false })
}

function renderForm(link: PaymentLinkView, { path, language }: PayPageFrame, texts: LinkTexts): string {
  const amount =
    link.amount === null
      ? `<label class="field">${texts.amount} <small>${rangeOf(link, texts)}</small><input name="amount" inputmode="numeric" required maxlength="20" placeholder="50.000"></label>`
      : `<p class="label">${texts.due}</p><p class="amount">${formatRupiah(link.amount)}</p>`
  return `<form class="pay" method="post" action="${escapeHtml(path)}/orders?lang=${language}">
${amount}
<label class="field">${texts.name}<input name="name" autocomplete="name" maxlength="200"></label>
<label class="field">${texts.phone}<input type="tel" name="phone" autocomplete="tel" maxlength="20" placeholder="0812…"></label>
<p><button type="submit" class="go">${texts.goOn}</button></p>
</form>`
}

function rangeOf({ amount_min: min, amount_max: max }: PaymentLinkView, texts: LinkTexts): string {
  if (min !== null && max !== null) return `${formatRupiah(min)} – ${formatRupiah(max)}`
  if (min !== null) return texts.from(formatRupiah(min))
  return max === null ? '' : texts.upTo(formatRupiah(max))
}
