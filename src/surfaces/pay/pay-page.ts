import { formatRupiah, formatWib, nameOfBank, orderedInstructions, PLAIN_CARD } from '../../orders/notices/notices.ts'
import type { PayWay } from '../../orders/pay-page/pay-page.ts'
import { parseQris, QrisError } from '../../payments/qris/qris.ts'
import { escapeHtml } from '../../platform/http/escape-html.ts'
import { type PayPageFrame, renderContact, renderFrame, renderSeller } from './pay-frame.ts'
import { type PayTexts, payTexts } from './pay-texts.ts'
import type { Parcel, PayMeans, PayState, PayView, StepsName } from './pay-view.ts'

/**
 * The page of one payment, as HTML that says all that matters without a script. `pay.js` adds the countdown, the copy
 * buttons, and the change of state: it swaps in `main` of the page as the server draws it then, so there is one drawing.
 */

/** States that money can still change. In the others there is nothing to wait for. */
const WAITING: readonly PayState[] = [
  'preparing',
  'choosing',
  'payable',
  'partly_paid',
  'reversed',
  'expired',
  'failed',
]

export function renderPayPage(view: PayView, frame: PayPageFrame): string {
  const texts = payTexts[frame.language]
  const isWaiting = WAITING.includes(view.state)
  const title = `${view.merchantName} · ${texts.order} ${view.orderNumber}`
  const live = isWaiting ? ` data-status="${escapeHtml(`${frame.path}/status`)}"` : ''
  const main = `<main data-state="${view.state}" data-version="${view.version}"${live} data-now="${frame.nowMs}">
${mainParts(view, frame, texts).join('\n')}
</main>`
  return renderFrame(frame, { title, main, isRefreshed: isWaiting })
}

function mainParts(view: PayView, frame: PayPageFrame, texts: PayTexts): string[] {
  const { title, says } = texts.states[view.state]
  const isNothingDue =
    (view.state === 'paid' && view.total === 0) || (view.state === 'reversed' && view.remaining === 0)
  return [
    renderSeller(frame, { name: view.merchantName, about: `${texts.order} ${view.orderNumber}` }),
    `<h1 class="state"><span class="mark" aria-hidden="true"></span>${title}</h1>`,
    frame.problem === null ? '' : `<p class="problem" role="alert">${texts.problems[frame.problem]}</p>`,
    says === '' ? '' : `<p class="says">${isNothingDue ? texts.nothingToPay : says}</p>`,
    view.lastEnd === null ? '' : `<p class="says">${texts.lastEnd[view.lastEnd]}</p>`,
    renderDue(view, frame, texts),
    view.receipt === null ? '' : renderReceipt(view.receipt, frame, texts),
    renderLines(view, texts),
    renderAmounts(view, texts),
    view.parcel === null ? '' : renderParcel(view.parcel, texts),
    ...(view.means === null ? [] : [renderMeans(view.means, view, { frame, texts })]),
    renderChoice(view, frame, texts),
    SHORT.includes(view.state) && view.isPreparing ? `<p class="says">${texts.states.preparing.says}</p>` : '',
    view.received > 0 && view.state !== 'cancelled' ? renderReceiptLink(frame, texts) : '',
    renderContact(frame, { name: view.merchantName, about: `${texts.order} ${view.orderNumber}` }),
  ].filter((part) => part !== '')
}

function renderDue({ due }: PayView, { language }: PayPageFrame, texts: PayTexts): string {
  if (due === null) return ''
  const when = due.isOver ? 'over' : 'ahead'
  return `<p class="says" data-due="${when}">${texts.due[when]} <time datetime="${due.at.toISOString()}">${formatWib(due.at, language)}</time></p>`
}

const RECEIVED: readonly PayState[] = ['partly_paid', 'paid', 'reversed', 'late', 'refunded', 'cancelled']
const SHORT: readonly PayState[] = ['partly_paid', 'reversed']

function renderAmounts(
  { state, means, ways, total, received, refunded, reversed, remaining }: PayView,
  texts: PayTexts,
): string {
  const rows: [string, string][] = []
  const isPart = isPartOf(means, remaining)
  if (isPart && total !== null) rows.push([texts.total, formatRupiah(total)])
  if (RECEIVED.includes(state) && received > 0) rows.push([texts.received, formatRupiah(received)])
  if (refunded > 0) rows.push([texts.returned, formatRupiah(refunded)])
  if (reversed > 0) rows.push([texts.reversed, formatRupiah(reversed)])
  const isNamedBelow = means !== null || ways.length > 0
  const isUnnamed = SHORT.includes(state) && !isNamedBelow
  if ((isUnnamed || isPart) && remaining) rows.push([texts.remaining, formatRupiah(remaining)])
  if (rows.length === 0) return ''
  return renderSums(rows)
}

function renderParcel({ status, carrier, trackingNumber, trackingUrl }: Parcel, texts: PayTexts): string {
  const number = trackingNumber ?? ''
  const rows = [
    carrier === null ? '' : `<div><dt>${texts.courier}</dt><dd>${escapeHtml(carrier)}</dd></div>`,
    number === ''
      ? ''
      : `<div><dt>${texts.trackingNumber}</dt><dd>${escapeHtml(number)} ${copyButton(number, texts.trackingNumber, texts)}</dd></div>`,
  ].join('')
  const link =
    trackingUrl === null
      ? ''
      : `<p><a href="${escapeHtml(trackingUrl)}" rel="noopener noreferrer nofollow">${texts.track}</a></p>`
  return `<section class="parcel" data-delivery="${status}"><h2>${texts.delivery[status]}</h2>${rows === '' ? '' : `<dl class="sums">${rows}</dl>`}${link}</section>`
}

/** A down payment or an instalment: the attempt asks for less than the remaining amount. */
const isPartOf = (means: PayMeans | null, remaining: number | null): boolean =>
  means?.amount != null && remaining !== null && means.amount < remaining

type Drawing = { frame: PayPageFrame; texts: PayTexts }

function renderMeans(means: PayMeans, view: PayView, { frame, texts }: Drawing): string {
  const isRemaining = SHORT.includes(view.state) && !isPartOf(means, view.remaining)
  const amountName = isRemaining ? texts.remaining : texts.amountDue
  const amount =
    means.amount === null
      ? `<p class="open">${texts.openAmount}</p>`
      : `<p class="label">${amountName}</p><p class="amount">${formatRupiah(means.amount)} ${copyButton(String(means.amount), amountName, texts)}</p>${renderUniqueAmount(means, texts)}`
  const steps = texts.steps[stepsOf(means)].map((step) => `<li>${escapeHtml(step)}</li>`).join('')
  return `<section class="pay" aria-label="${texts.methods[means.method]}">
${amount}
${renderExpiry(means, frame, texts)}
<p class="method">${nameOfWay(means, texts)}</p>
${renderDetails(means, frame, texts)}
${renderSimulator(means, frame, texts)}
</section>
<section class="how"><h2>${texts.howTo}</h2><ol>${steps}</ol>${IN_AN_APP.includes(means.method) ? `<p class="hint">${texts.secure}</p>` : ''}
<p class="hint live">${texts.refreshes}</p><noscript><p class="hint">${texts.refreshByHand}</p></noscript></section>`
}

/** Codes and numbers of the simulator cannot be paid in any app. The links of its wallets and cards lead there already. */
const renderSimulator = (
  { isSimulated, details }: PayMeans,
  { path, language }: PayPageFrame,
  texts: PayTexts,
): string =>
  !isSimulated || details.ewallet != null || details.card != null || details.account_page != null
    ? ''
    : `<p><a class="button" href="${escapeHtml(path)}/simulator?lang=${language}">${texts.simulated.open}</a></p>`

const renderUniqueAmount = ({ uniqueAmount }: PayMeans, texts: PayTexts): string =>
  uniqueAmount === 0 ? '' : `<p class="hint">${texts.uniqueAmountHint(formatRupiah(uniqueAmount))}</p>`

const nameOfWay = ({ method, bank }: Pick<PayWay, 'method' | 'bank'>, texts: PayTexts): string =>
  bank === null || bank === PLAIN_CARD
    ? texts.methods[method]
    : `${method === 'card' ? texts.payLater : texts.methods[method]} · ${escapeHtml(nameOfBank(bank))}`

/** Where an attempt is open, the form is folded: the payer may change their mind. */
function renderChoice(view: PayView, frame: PayPageFrame, texts: PayTexts): string {
  if (view.ways.length === 0) return ''
  const isOpen = view.means !== null || view.isPreparing
  const form = renderWays(view, { frame, texts, isOpen })
  return isOpen ? `<details class="change"><summary>${texts.change}</summary>${form}</details>` : form
}

/** A form that works without a script. Ways of one method are folded together, and the first way is chosen. */
function renderWays(
  { ways, remaining, state }: PayView,
  { frame, texts, isOpen }: Drawing & { isOpen: boolean },
): string {
  const amount =
    remaining === null || isOpen
      ? ''
      : `<p class="label">${SHORT.includes(state) ? texts.remaining : texts.amountDue}</p><p class="amount">${formatRupiah(remaining)}</p>`
  const groups = [...Map.groupBy(ways, ({ method }) => method)]
  const choices = groups.map(([method, ofMethod], index) => {
    const labels = ofMethod.map((way) =>
      renderWay(way, { isFirst: way === ways[0], isOfMany: ofMethod.length > 1, texts }),
    )
    if (labels.length === 1) return labels.join('')
    const open = index === 0 ? ' open' : ''
    return `<details name="ways"${open}><summary>${texts.methods[method]}</summary>${labels.join('')}</details>`
  })
  const says = remaining === null ? texts.payAgain : `${texts.payNow} ${formatRupiah(remaining)}`
  const button = state === 'choosing' || isOpen ? texts.goOn : says
  return `<form class="pay ways" method="post" action="${escapeHtml(frame.path)}/payments?lang=${frame.language}">
${amount}
<fieldset><legend class="method">${texts.payWith}</legend>${choices.join('')}</fieldset>
<button type="submit">${button}</button>
</form>`
}

type WayDrawing = { isFirst: boolean; isOfMany: boolean; texts: PayTexts }

/** Within its group a way is known by its channel alone. */
function renderWay({ method, bank, needsPhone }: PayWay, { isFirst, isOfMany, texts }: WayDrawing): string {
  const isNamed = isOfMany && method !== 'card' && bank !== null
  const name = isNamed ? escapeHtml(nameOfBank(bank)) : nameOfWay({ method, bank }, texts)
  const value = bank === null ? method : `${method}:${bank}`
  const phone = needsPhone
    ? `<label class="phone">${texts.phone}<input type="tel" name="phone" autocomplete="tel" maxlength="20" placeholder="0812…"></label>`
    : ''
  return `<label${needsPhone ? ' class="asks"' : ''}><input type="radio" name="method" value="${value}"${isFirst ? ' checked' : ''}> ${name}</label>${phone}`
}

/** What was ordered; folded while it is to be paid, so that the code stays on the first screen. */
function renderLines({ lines, state }: PayView, texts: PayTexts): string {
  const { items, discount, shipping, tax, tax_included: included, unique_amount: unique, total } = lines
  const rows: [string, string][] = [
    ...items.map(({ quantity, name, subtotal }): [string, string] => [
      `${quantity} × ${escapeHtml(name)}`,
      formatRupiah(subtotal),
    ]),
    ...(discount > 0 ? [[texts.discount, `−${formatRupiah(discount)}`] as [string, string]] : []),
    ...(shipping > 0 ? [[texts.shipping, formatRupiah(shipping)] as [string, string]] : []),
    ...(tax > 0 ? [[texts.tax, formatRupiah(tax)] as [string, string]] : []),
    ...(unique > 0 ? [[texts.uniqueAmount, formatRupiah(unique)] as [string, string]] : []),
  ]
  if (rows.length === 0) return ''
  const ofTax = included > 0 ? `<br><small>${texts.taxIncluded} ${formatRupiah(included)}</small>` : ''
  if (total !== null) rows.push([`${texts.total}${ofTax}`, formatRupiah(total)])
  const isOpen = state === 'paid' || state === 'choosing'
  return `<details class="lines"${isOpen ? ' open' : ''}><summary>${texts.lines}</summary>${renderSums(rows)}</details>`
}

const renderSums = (rows: readonly [string, string][]): string =>
  `<dl class="sums">${rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl>`

function renderReceipt(receipt: NonNullable<PayView['receipt']>, { language }: PayPageFrame, texts: PayTexts): string {
  return renderSums([
    [texts.paidWith, nameOfWay(receipt, texts)],
    [texts.paidAt, formatWib(receipt.paidAt, language)],
  ])
}

const renderReceiptLink = ({ path, language }: PayPageFrame, texts: PayTexts): string =>
  `<p class="paper"><a class="button" href="${escapeHtml(path)}/receipt?lang=${language}">${texts.receipt}</a></p>`

const IN_AN_APP: readonly PayMeans['method'][] = ['qris', 'virtual_account', 'bank_transfer']

function renderExpiry({ expiresAt }: PayMeans, { language }: PayPageFrame, texts: PayTexts): string {
  if (expiresAt === null) return ''
  const iso = expiresAt.toISOString()
  return `<p class="expiry">${texts.payBefore} <time datetime="${iso}">${formatWib(expiresAt, language)}</time><span class="countdown" role="timer" data-expires="${expiresAt.getTime()}" data-label="${texts.timeLeft}"></span></p>`
}

function renderDetails(means: PayMeans, frame: PayPageFrame, texts: PayTexts): string {
  const { qr_string, qr_image_url, virtual_account: account, bill, instructions } = means.details
  const { account_page: page, ewallet, retail, card } = means.details
  if (ewallet != null) return renderWallet(means, frame, texts)
  if (card != null) return renderLink(card.redirect_url, texts.openCard)
  if (page != null) return renderLink(page.redirect_url, texts.openAccount(escapeHtml(nameOfBank(page.bank))))
  if (retail != null)
    return renderRows(
      [
        { name: texts.instructionNames.store ?? '', value: nameOfBank(retail.store) },
        { name: texts.instructionNames.payment_code ?? '', value: retail.payment_code, isCopied: true },
      ],
      texts,
    )
  if (qr_string !== null || qr_image_url !== null)
    return renderQr(qr_image_url, frame, texts) + renderRows(receiverRows(qr_string, texts), texts)
  if (account !== null)
    return renderRows(
      [
        { name: texts.bank, value: nameOfBank(account.bank) },
        { name: texts.accountNumber, value: account.number, isCopied: true },
        ...(account.name === null ? [] : [{ name: texts.accountName, value: account.name }]),
      ],
      texts,
    )
  if (bill !== null)
    return renderRows(
      [
        { name: texts.bank, value: nameOfBank('mandiri') },
        { name: texts.billerCode, value: bill.biller_code, isCopied: true },
        { name: texts.billKey, value: bill.bill_key, isCopied: true },
      ],
      texts,
    )
  return instructions === null ? '' : renderRows(instructionRows(instructions, texts), texts)
}

/** A phone opens the app; a desk shows the code for the phone, where the wallet has one. */
function renderWallet({ details }: PayMeans, frame: PayPageFrame, texts: PayTexts): string {
  const { ewallet, qr_string, qr_image_url } = details
  const url = (frame.isPhone ? ewallet?.deeplink_url : null) ?? ewallet?.web_url ?? ewallet?.deeplink_url ?? null
  const name = nameOfBank(ewallet?.channel ?? '')
  if (url === null) return `<p class="says">${texts.asked(escapeHtml(name))}</p>`
  const link = renderLink(url, texts.openWallet(escapeHtml(name)))
  if (qr_string === null && qr_image_url === null) return link
  const qr = renderQr(qr_image_url, frame, texts)
  return frame.isPhone ? `${link}<details><summary>${texts.otherDevice}</summary>${qr}</details>` : `${qr}${link}`
}

const renderLink = (url: string, text: string): string =>
  `<p><a class="button go" rel="noreferrer" href="${escapeHtml(url)}">${text}</a></p>`

function renderQr(theirs: string | null, { qrPath }: PayPageFrame, texts: PayTexts): string {
  const source = qrPath === null ? (theirs ?? '') : `${qrPath}/qr.svg`
  const save =
    qrPath === null
      ? ''
      : `<p><a class="button" href="${escapeHtml(qrPath)}/qr.png" download="qris.png">${texts.saveQr}</a></p>`
  return `<p class="qr"><img src="${escapeHtml(source)}" alt="${texts.qrAlt}" width="320" height="320"></p>${save}`
}

/** The name in the code, which the payer's app shows: not always the name of the shop. */
function receiverRows(qrString: string | null, texts: PayTexts): Row[] {
  try {
    const { merchantName, merchantCity, national } = parseQris(qrString ?? '').fields
    const nmid = national?.nmid === undefined ? [] : [{ name: 'NMID', value: national.nmid }]
    return [{ name: texts.accountName, value: `${merchantName}, ${merchantCity}` }, ...nmid]
  } catch (error) {
    if (error instanceof QrisError) return []
    throw error
  }
}

type Row = { name: string; value: string; isCopied?: boolean }

const COPIED = ['account_number', 'payment_code', 'reference']

const instructionRows = (instructions: Record<string, string>, texts: PayTexts): Row[] =>
  orderedInstructions(instructions).map(([key, value]) => ({
    name: texts.instructionNames[key] ?? sentenceOf(key),
    value: key === 'pay_with' ? (texts.methods[value as PayMeans['method']] ?? value) : value,
    isCopied: COPIED.includes(key),
  }))

const sentenceOf = (key: string): string => {
  const words = key.replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** A long number is shown in groups of four and copied without them. */
const renderRows = (rows: readonly Row[], texts: PayTexts): string =>
  rows.length === 0
    ? ''
    : `<dl class="rows">${rows
        .map(({ name, value, isCopied }) => {
          const button = isCopied ? copyButton(value, name, texts) : ''
          return `<div><dt>${escapeHtml(name)}</dt><dd>${renderValue(value, texts)} ${button}</dd></div>`
        })
        .join('')}</dl>`

function renderValue(value: string, texts: PayTexts): string {
  if (/^https:\/\/\S+$/.test(value))
    return `<a class="button" rel="noreferrer" href="${escapeHtml(value)}">${texts.open}</a>`
  if (!/^\d{7,}$/.test(value)) return `<span>${escapeHtml(value)}</span>`
  const groups = value.match(/\d{1,4}/g) ?? []
  return `<span class="number">${groups.map((group) => `<span>${group}</span>`).join('')}</span>`
}

/** Hidden until the script activates it. */
const copyButton = (value: string, name: string, texts: PayTexts): string =>
  `<button type="button" class="copy" hidden data-copy="${escapeHtml(value)}" data-done="${texts.copied}" aria-label="${texts.copy}: ${escapeHtml(name)}">${texts.copy}</button>`

function stepsOf({ method, details }: PayMeans): StepsName {
  if (details.bill !== null) return 'bill'
  if (details.account_page != null) return 'account_page'
  if (details.ewallet != null)
    return details.ewallet.web_url === null && details.ewallet.deeplink_url === null ? 'push' : 'ewallet'
  if (method === 'cash' || method === 'cod') return 'in_person'
  return method in STEPS ? (method as StepsName) : 'other'
}

const STEPS = { qris: 1, virtual_account: 1, bank_transfer: 1, card: 1, retail: 1, invoice: 1 }

/** Stands in for the app of a wallet or the page of a provider. */
export function renderSimulatedPage(view: PayView, means: PayMeans, frame: PayPageFrame): string {
  const texts = payTexts[frame.language]
  const title = texts.simulated.title(nameOfWay(means, texts))
  const pay = means.amount === null ? texts.payNow : `${texts.payNow} ${formatRupiah(means.amount)}`
  const main = `<main data-state="simulator">
${renderSeller(frame, { name: view.merchantName, about: `${texts.order} ${view.orderNumber}` })}
<h1 class="state"><span class="mark" aria-hidden="true"></span>${title}</h1>
<p class="says">${texts.simulated.says}</p>
<form class="pay ways" method="post" action="${escapeHtml(frame.path)}/simulator?lang=${frame.language}">
<button type="submit" name="outcome" value="paid">${pay}</button>
<button type="submit" name="outcome" value="failed" class="quiet">${texts.simulated.fail}</button>
</form>
</main>`
  return renderFrame(frame, { title, main, isRefreshed: false })
}
