import type { ShopDetails } from '../../accounts/shop-details/shop-details.ts'
import type { Language } from '../../orders/notices/notices.ts'
import type { PayProblem } from '../../orders/pay-page/pay-page.ts'
import { escapeHtml } from '../../platform/http/escape-html.ts'
import { payTexts } from './pay-texts.ts'

/** What the pages for payers have in common: the document around them, the shop at the top and its contact at the end. */
export type PayPageFrame = {
  language: Language
  stylesheet: string
  script: string
  icon: string
  nowMs: number
  /** What the payer's last action could not do. */
  problem: PayProblem | null
  /** The path of this page, for polling its state and reloading it. */
  path: string
  /** The page is shown on a phone, which can open the app of a wallet. */
  isPhone: boolean
  /** The path of the QR of the current attempt. */
  qrPath: string | null
  /** Null where the shop is not known. */
  shop: ShopDetails | null
}

type Seller = { name: string; about: string }

export function renderSeller({ shop, path }: PayPageFrame, { name, about }: Seller): string {
  const logo =
    shop?.logo == null
      ? ''
      : `<img class="logo" src="${escapeHtml(path)}/logo?v=${escapeHtml(shop.logo.hash)}" alt="" height="40">`
  return `<header><div class="seller">${logo}<p class="shop">${escapeHtml(name)}</p></div><p class="order">${escapeHtml(about)}</p></header>`
}

/** A link that opens a chat with the shop, with the number of the order typed in. */
export function renderContact({ shop, language }: PayPageFrame, { name, about }: Seller): string {
  const phone = shop?.phone ?? null
  if (phone === null) return ''
  const href = `https://wa.me/${phone.replaceAll(/\D/g, '')}?text=${encodeURIComponent(about)}`
  const says = payTexts[language].contact(name)
  return `<p class="contact"><a href="${escapeHtml(href)}" rel="noopener noreferrer">${escapeHtml(says)}</a></p>`
}

/** The page for an unknown token. */
export function renderMissingPage(frame: PayPageFrame): string {
  const { missing } = payTexts[frame.language]
  const steps = missing.steps.map((step) => `<li>${escapeHtml(step)}</li>`).join('')
  const main = `<main data-state="missing"><h1 class="state"><span class="mark" aria-hidden="true"></span>${missing.title}</h1><p class="says">${missing.says}</p><ul>${steps}</ul></main>`
  return renderFrame(frame, { title: missing.title, main, isRefreshed: false })
}

type Content = { title: string; main: string; isRefreshed: boolean }

export function renderFrame(frame: PayPageFrame, { title, main, isRefreshed }: Content): string {
  const { language } = frame
  const texts = payTexts[language]
  const other = language === 'id' ? 'en' : 'id'
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${frame.icon}">
<link rel="stylesheet" href="${frame.stylesheet}">
<script type="module" src="${frame.script}"></script>
${isRefreshed ? '<noscript><meta http-equiv="refresh" content="30"></noscript>' : ''}
</head>
<body data-lost="${escapeHtml(texts.liveLost)}">
${main}
<p id="said" class="unseen" role="status"></p>
<footer><p id="notice" role="status"></p><a href="?lang=${other}" lang="${other}" hreflang="${other}">${texts.otherLanguage}</a></footer>
</body>
</html>
`
}
