import { readFileSync } from 'node:fs'
import type { Clock } from '../../kernel/clock.ts'
import { isId } from '../../kernel/ids.ts'
import { storedValue } from '../../kernel/lists.ts'
import { entriesOf } from '../../kernel/records.ts'
import { parseRupiah } from '../../kernel/rupiah-text.ts'
import { type DocumentKind, documentKinds, renderDocument } from '../../orders/documents/documents.ts'
import { type Language, languageOf } from '../../orders/notices/notices.ts'
import { type PayPageFacts, type PayPageSource, payProblems, type WantedWay } from '../../orders/pay-page/pay-page.ts'
import { type LinkPageSource, type LinkPayer, linkProblems } from '../../orders/payment-links/payment-links.ts'
import type { PayTarget, PayTokens } from '../../payments/attempts/attempts.ts'
import { qrisPng, qrisSvg } from '../../payments/qris/qris.ts'
import { isDatabaseUnavailable } from '../../platform/database/database-errors.ts'
import { createRateLimiter, type RateLimiter } from '../../platform/http/limits/rate-limit.ts'
import { readBody } from '../../platform/http/pipeline/body-reader.ts'
import { createStaticReply, hashOf, type StaticContent, type StaticReply } from '../../platform/http/static-content.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { renderDocumentPage } from './document-page.ts'
import { renderLinkPage } from './link-page.ts'
import { type PayPageFrame, renderMissingPage } from './pay-frame.ts'
import { renderPayPage, renderSimulatedPage } from './pay-page.ts'
import {
  chooseLanguage,
  html,
  isForeign,
  NO_STORE,
  plain,
  plainHeaders,
  redirect,
  securityHeaders,
  TOO_MANY,
} from './pay-replies.ts'
import { type PayView, viewPayPage } from './pay-view.ts'
import type { SimulatedPayer } from './simulated-payer.ts'

/**
 * The pages for payers. They need no sign-in: a visitor with the address sees what is to be paid, and nothing else.
 *
 *   /pay/{token}           the page; of an order, whatever its current attempt is
 *   /pay/{token}/qr.png    the QR as a picture, also .svg. Of a payment it never changes and may be kept for ever; of a payment
 *                          link it leads to the page
 *   /pay/{token}/status    {state, version, …}: asked by the page every few seconds
 *   /pay/{token}/payments  POST from the form of the page: opens an attempt for the remaining amount, by another way if the payer may choose
 *   /pay/{token}/receipt   the receipt of an order, also /invoice, and both as .pdf; without the name of the customer
 *   /pay/{token}/logo      the logo of the shop
 *   /pay/{token}/orders    POST from the page of a payment link: creates the order of the payer
 *   /pay/{token}/simulator the app or page that a simulated payment opens; POST plays what the payer does there
 *
 * The token of a document opens it with the name of the customer, and `/document.pdf` as PDF.
 * The page costs one statement. payments/pay-token.ts creates and reads tokens.
 */
export type PaySiteOptions = {
  source: PayPageSource
  /** The pages of payment links. */
  links: LinkPageSource
  tokens: PayTokens
  clock: Clock
  log: Log
  /** Plays the payer of simulated payments; without it there is no page for that. */
  simulatedPayer?: SimulatedPayer
}

export type PaySite = {
  /** Null when the path is not one of ours. */
  fetch(request: Request): Promise<Response> | null
}

const PREFIX = '/pay/'
const PLACE =
  /^\/pay\/(?<token>[\w-]{64})(?:\/(?<part>qr\.png|qr\.svg|status|payments|simulator|logo|(?:receipt|invoice)(?:\.pdf)?|document\.pdf|orders))?$/

/** The forms of the page, with the methods of their addresses. */
const FORMS: readonly [part: string, methods: readonly string[]][] = [
  ['/payments', ['POST']],
  ['/orders', ['POST']],
  ['/simulator', ['GET', 'HEAD', 'POST']],
]
const FORM = { bytesMax: 1_000, timeoutMs: 5_000 }

const IMMUTABLE = 'public, max-age=31536000, immutable'

export function createPaySite(options: PaySiteOptions): PaySite {
  const assets = createPayAssets(securityHeaders)
  const limiter = createRateLimiter({ clock: options.clock, entriesMax: TOKENS_MAX })
  const site: Site = { ...options, assets, limiter }
  return {
    fetch(request) {
      if (!request.url.includes(PREFIX)) return null
      const url = new URL(request.url)
      if (!url.pathname.startsWith(PREFIX)) return null
      const allowed = FORMS.find(([part]) => url.pathname.endsWith(part))?.[1] ?? ['GET', 'HEAD']
      if (!allowed.includes(request.method)) return Promise.resolve(refuseMethod(allowed))
      const answering = request.method === 'POST' ? act(site, request, url) : answer(site, request, url)
      return answering.catch((error) => unavailable(options.log, error))
    },
  }
}

type Site = PaySiteOptions & { assets: PayAssets; limiter: RateLimiter }
type Asked = { request: Request; url: URL; token: string; target: PayTarget }

async function answer(site: Site, request: Request, url: URL): Promise<Response> {
  const asset = site.assets.find(url.pathname)
  if (asset !== null) return asset(request)
  const { token, part } = PLACE.exec(url.pathname)?.groups ?? {}
  const target = token === undefined ? null : site.tokens.read(token)
  if (token !== undefined && target !== null) {
    if (isId('plk', target.id)) return showLink(site, { request, url, token, target }, part)
    const wanted = wantedDocument(target, part)
    if (wanted !== null) return document(site, { request, url, token, target }, wanted)
    if (part === 'logo') return logo(site, request, target)
  }
  const facts = target === null ? null : await site.source.read(target)
  if (token === undefined || target === null || facts === null) return missing(site, request, { url, part })
  const asked = { request, url, token, target }
  if (part === undefined) return page(site, asked, facts)
  if (part === 'simulator') return simulatedPage(site, asked, facts)
  return part === 'status' ? status(site, asked, facts) : picture(asked, facts, part)
}

/** The page shows the outcome: an attempt that was opened, or why no attempt can be opened. */
async function act(site: Site, request: Request, url: URL): Promise<Response> {
  if (isForeign(request)) return plain(403, 'This form was sent by another site.')
  const { token, part } = PLACE.exec(url.pathname)?.groups ?? {}
  const target = token === undefined ? null : site.tokens.read(token)
  if (target !== null && isId('plk', target.id)) return openLink(site, { request, url, token: token ?? '', target })
  if (target === null || !target.id.startsWith('ord_')) return missing(site, request, { url, part: undefined })
  const limit = site.limiter.check(token ?? '', ACTIONS)
  if (!limit.allowed) return plain(429, TOO_MANY, { 'Retry-After': String(limit.retryAfterSeconds) })
  const body = await readBody(request, FORM)
  const form = new URLSearchParams(body.ok ? new TextDecoder().decode(body.bytes) : '')
  const place = new URL(`${PREFIX}${token}${url.search}`, url)
  place.searchParams.delete(PROBLEM)
  if (part === 'simulator') await playPayer(site, target, form)
  else {
    const problem = await site.source.pay(target, wantedOf(form))
    if (problem !== null) place.searchParams.set(PROBLEM, problem)
  }
  return redirect(`${place.pathname}${place.search}`, 303)
}

const PROBLEM = 'problem'

/** A single-use link leads to the payment that another payer has opened, or that was paid. */
async function showLink(site: Site, asked: Asked, part: string | undefined): Promise<Response> {
  const { request, url, token, target } = asked
  if (part === 'logo') return logo(site, request, target)
  const link = await site.links.read(target)
  if (link === null) return missing(site, request, { url, part })
  if (part !== undefined)
    return isPicture(part)
      ? drawn(request, link.url, { part, cacheControl: IMMUTABLE })
      : missing(site, request, { url, part })
  const shop = await site.source.readShop(target.orgId)
  const language = chooseLanguage(request, url, shop.language)
  const problem = linkProblems.find((known) => known === url.searchParams.get(PROBLEM)) ?? null
  const frame = { ...frameOf(site, language), shop, path: `${PREFIX}${token}` }
  return html(renderLinkPage({ link, shopName: shop.name, problem }, frame), {
    status: 200,
    language,
    pictureOrigin: null,
  })
}

/** Creates the order of the payer and leads to its payment page. */
async function openLink(site: Site, { request, url, token, target }: Asked): Promise<Response> {
  const limit = site.limiter.check(token, LINK_ORDERS)
  if (!limit.allowed) return plain(429, TOO_MANY, { 'Retry-After': String(limit.retryAfterSeconds) })
  const body = await readBody(request, FORM)
  const form = new URLSearchParams(body.ok ? new TextDecoder().decode(body.bytes) : '')
  const outcome = await site.links.open(target, payerOf(form))
  const place = new URL(`${PREFIX}${token}${url.search}`, url)
  if ('problem' in outcome) place.searchParams.set(PROBLEM, outcome.problem)
  else place.pathname = `${PREFIX}${site.tokens.create({ orgId: target.orgId, id: outcome.orderId })}`
  return redirect(`${place.pathname}${place.search}`, 303)
}

/** Every order takes a number, so a link creates a limited number of them. */
const LINK_ORDERS = { name: 'payment link', quota: 60, windowSeconds: 60, burst: 20 }

function payerOf(form: URLSearchParams): LinkPayer {
  return {
    amount: parseRupiah((form.get('amount') ?? '').replaceAll(/\s/g, '')),
    name: form.get('name')?.replaceAll('\0', '').trim().slice(0, 200) || null,
    phone: form.get('phone')?.trim() || null,
  }
}

/** `ewallet:gopay` names a method and its channel. */
function wantedOf(form: URLSearchParams): WantedWay {
  const [method = '', channel = null] = (form.get('method') ?? '').split(':', 2)
  return { method, channel, phone: form.get('phone')?.trim() || null }
}

/** Enough for a payer who changes their mind, and for a link that several people share. */
const ACTIONS = { name: 'pay page', quota: 20, windowSeconds: 60, burst: 10 }
const TOKENS_MAX = 10_000

async function playPayer({ source, simulatedPayer }: Site, target: PayTarget, form: URLSearchParams): Promise<void> {
  const payment = (await source.read(target))?.row.payment ?? null
  const outcome = form.get('outcome') === 'failed' ? 'failed' : 'paid'
  if (payment !== null) await simulatedPayer?.play(target.orgId, payment.id, outcome)
}

/** Leads back to the page of the order when there is nothing to pay, or nothing simulated. */
async function simulatedPage(site: Site, { request, url, target, token }: Asked, facts: PayPageFacts) {
  const nowMs = site.clock.now()
  const view = viewPayPage(facts, nowMs)
  const { means } = view
  if (!means?.isSimulated) return redirect(`${PREFIX}${token}${url.search}`)
  const language = chooseLanguage(request, url, languageOf(facts.profile))
  const shop = await site.source.readShop(target.orgId)
  const frame = { ...frameOf(site, language), shop, nowMs, path: `${PREFIX}${token}` }
  return html(renderSimulatedPage(view, means, frame), { status: 200, language, pictureOrigin: null })
}

async function page(site: Site, { request, url, target, token }: Asked, facts: PayPageFacts): Promise<Response> {
  const { row } = facts
  // The address of a picture, opened without its last part: the page is that of the order.
  if (target.id !== row.order_id)
    return redirect(`${PREFIX}${site.tokens.create({ orgId: row.org_id, id: row.order_id })}${url.search}`)
  const nowMs = site.clock.now()
  const view = viewPayPage(facts, nowMs)
  const language = chooseLanguage(request, url, languageOf(facts.profile))
  const frame: PayPageFrame = {
    ...frameOf(site, language),
    shop: await site.source.readShop(row.org_id),
    isPhone: isPhone(request),
    problem: payProblems.find((known) => known === url.searchParams.get(PROBLEM)) ?? null,
    nowMs,
    path: `${PREFIX}${token}`,
    qrPath: qrPathOf(site, facts, view),
  }
  return html(renderPayPage(view, frame), { status: 200, language, pictureOrigin: pictureOriginOf(view) })
}

const frameOf = ({ assets }: Site, language: Language): PayPageFrame => ({
  language,
  stylesheet: assets.urlOf('pay.css'),
  script: assets.urlOf('pay.js'),
  icon: assets.urlOf('pay.svg'),
  isPhone: false,
  problem: null,
  nowMs: 0,
  path: '',
  qrPath: null,
  shop: null,
})

type AskedDocument = { kind: DocumentKind | null; isPdf: boolean; pdfPart: string }

/** Which document an address names; null for other addresses. */
function wantedDocument({ id }: PayTarget, part = ''): AskedDocument | null {
  const isPdf = part.endsWith('.pdf')
  if (id.startsWith('doc_'))
    return part === '' || part === 'document.pdf' ? { kind: null, isPdf, pdfPart: 'document.pdf' } : null
  const kind = id.startsWith('ord_') ? documentKinds.find((known) => part === known || part === `${known}.pdf`) : null
  return kind == null ? null : { kind, isPdf, pdfPart: `${kind}.pdf` }
}

/** Drawing a PDF takes a tenth of a second, so each link has a limit. A document that does not exist yet leads to the payment page. */
async function document(site: Site, { request, url, token, target }: Asked, { kind, isPdf, pdfPart }: AskedDocument) {
  const limit = site.limiter.check(`${token} documents`, DOCUMENTS)
  if (!limit.allowed) return plain(429, TOO_MANY, { 'Retry-After': String(limit.retryAfterSeconds) })
  const shop = await site.source.readShop(target.orgId)
  const language = chooseLanguage(request, url, shop.language)
  const printed = await site.source.readDocument(target, { kind, language })
  if (printed === null)
    return kind === null ? missing(site, request, { url, part: undefined }) : redirect(`${PREFIX}${token}${url.search}`)
  const path = `${PREFIX}${token}`
  if (!isPdf) {
    const frame = { ...frameOf(site, language), shop, path }
    return html(renderDocumentPage(printed, frame, `${path}/${pdfPart}`), {
      status: 200,
      language,
      pictureOrigin: null,
    })
  }
  const headers = {
    ...securityHeaders,
    ...NO_STORE,
    'Content-Type': 'application/pdf',
    'Content-Language': language,
    'Content-Disposition': `inline; filename="${printed.number}.pdf"`,
  }
  return new Response((await renderDocument(printed)) as Uint8Array<ArrayBuffer>, { headers })
}

const DOCUMENTS = { name: 'documents', quota: 30, windowSeconds: 60, burst: 15 }

async function logo(site: Site, request: Request, { orgId }: PayTarget): Promise<Response> {
  const found = await site.source.readLogo(orgId)
  if (found === null) return plain(404, 'There is no logo here.')
  const { bytes, content_type: contentType } = found
  const cacheControl = 'public, max-age=86400'
  return createStaticReply({ body: bytes, contentType, cacheControl, headers: securityHeaders })(request)
}

const PHONE = /Android|iPhone|iPod|Mobile/

const isPhone = ({ headers }: Request): boolean => PHONE.test(headers.get('user-agent') ?? '')

function qrPathOf({ tokens }: Site, { row }: PayPageFacts, { means }: PayView): string | null {
  if (means === null || means.details.qr_string === null || row.payment === null) return null
  return `${PREFIX}${tokens.create({ orgId: row.org_id, id: row.payment.id })}`
}

function pictureOriginOf({ means }: PayView): string | null {
  const theirs = means?.details.qr_string === null ? means.details.qr_image_url : null
  return theirs !== null && URL.canParse(theirs) ? new URL(theirs).origin : null
}

async function status(site: Site, { request }: Asked, facts: PayPageFacts): Promise<Response> {
  const { state, version, means } = viewPayPage(facts, site.clock.now())
  const body = JSON.stringify({ state, version, expires_at: means?.expiresAt?.toISOString() ?? null })
  const tag = `"${version}"`
  const headers = { ...securityHeaders, ...NO_STORE, ETag: tag, 'Content-Type': 'application/json' }
  if (request.headers.get('if-none-match') === tag) return new Response(null, { status: 304, headers })
  return new Response(body, { headers })
}

/** Codes that can no longer be paid are drawn too, because the address may have been sent to a person. */
async function picture({ request, target }: Asked, { row }: PayPageFacts, part: string): Promise<Response> {
  const text = row.payment?.details?.qr_string ?? null
  if (text === null) return new Response('There is no QR code here.\n', { status: 404, headers: plainHeaders })
  return drawn(request, text, { part, cacheControl: target.id === row.order_id ? 'no-cache' : IMMUTABLE })
}

const isPicture = (part: string): boolean => part === 'qr.png' || part === 'qr.svg'

type Drawing = { part: string; cacheControl: string }

function drawn(request: Request, text: string, { part, cacheControl }: Drawing): Promise<Response> {
  const content: Pick<StaticContent, 'body' | 'contentType'> =
    part === 'qr.svg'
      ? { body: qrisSvg(text), contentType: 'image/svg+xml' }
      : { body: qrisPng(text), contentType: 'image/png' }
  return createStaticReply({ ...content, cacheControl, headers: securityHeaders })(request)
}

type Missed = { url: URL; part: string | undefined }

function missing(site: Site, request: Request, { url, part }: Missed): Response {
  const headers = { ...securityHeaders, ...NO_STORE, 'Content-Type': 'application/json' }
  if (part === 'status') return new Response('{"state":"missing"}', { status: 404, headers })
  const language = chooseLanguage(request, url, 'id')
  return html(renderMissingPage(frameOf(site, language)), { status: 404, language, pictureOrigin: null })
}

const refuseMethod = (allowed: readonly string[]) =>
  new Response('This address takes another method.\n', {
    status: 405,
    headers: { ...plainHeaders, Allow: allowed.join(', ') },
  })

/** The page polls again automatically. */
function unavailable(log: Log, error: unknown): Response {
  const isAway = isDatabaseUnavailable(error)
  log[isAway ? 'warn' : 'error']({ err: error }, 'pay page not shown')
  const says =
    'Halaman ini belum bisa dibuka. Coba lagi sebentar. / This page cannot be shown right now. Try again soon.\n'
  return new Response(says, { status: isAway ? 503 : 500, headers: { ...plainHeaders, 'Retry-After': '5' } })
}

/** The page's own style and script. The address holds a hash of the content, so a browser may keep them for ever. */
const CONTENT_TYPES = {
  'pay.css': 'text/css; charset=utf-8',
  'pay.js': 'text/javascript; charset=utf-8',
  'pay.svg': 'image/svg+xml',
}

type AssetName = keyof typeof CONTENT_TYPES

type PayAssets = {
  urlOf(name: AssetName): string
  /** Null when there is no such file, or only another version of it. */
  find(path: string): StaticReply | null
}

const FOLDER = new URL('./assets/', import.meta.url)

function createPayAssets(headers: Record<string, string>): PayAssets {
  const urls = new Map<AssetName, string>()
  const replies = new Map<string, StaticReply>()
  for (const [name, contentType] of entriesOf(CONTENT_TYPES)) {
    const body = readFileSync(new URL(name, FOLDER))
    const url = `/pay/assets/${hashOf(body)}/${name}`
    urls.set(name, url)
    replies.set(url, createStaticReply({ body, contentType, cacheControl: IMMUTABLE, headers }))
  }
  return { urlOf: (name) => storedValue(urls, name), find: (path) => replies.get(path) ?? null }
}
