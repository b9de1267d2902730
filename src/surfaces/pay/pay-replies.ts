import { isLanguage, type Language } from '../../orders/notices/notices.ts'
import { parseQualityList } from '../../platform/http/pipeline/accept.ts'
import { pageHeaders } from '../../platform/http/static-content.ts'

/** The answers that the pages for payers have in common, and how they read a request. */
export const securityHeaders = { ...pageHeaders, 'X-Robots-Tag': 'noindex' }

/** Nothing from elsewhere and no inline script; but a provider that gives a picture in place of a string serves it itself. */
const policyFor = (pictureOrigin: string | null): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self'${pictureOrigin === null ? '' : ` ${pictureOrigin}`}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

export const NO_STORE = { 'Cache-Control': 'no-store' }

/** Only the page may send its form: another site could at most guess the address, and its browser names it. */
export function isForeign({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  // Without a referrer, the page sends the origin "null".
  const origin = headers.get('origin')
  return origin !== null && origin !== 'null' && URL.parse(origin)?.host !== headers.get('host')
}

/** The language that the payer chose, else the browser's, else the shop's. */
export function chooseLanguage(request: Request, url: URL, fallback: Language): Language {
  const named = url.searchParams.get('lang')
  if (isLanguage(named)) return named
  const wanted = parseQualityList(request.headers.get('accept-language') ?? '')
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ name }) => name.split('-')[0])
  return wanted.find(isLanguage) ?? fallback
}

export const plainHeaders = { ...securityHeaders, ...NO_STORE, 'Content-Type': 'text/plain; charset=utf-8' }

type Shown = { status: number; language: Language; pictureOrigin: string | null }

export const html = (body: string, { status, language, pictureOrigin }: Shown): Response =>
  new Response(body, {
    status,
    headers: {
      ...securityHeaders,
      ...NO_STORE,
      'Content-Security-Policy': policyFor(pictureOrigin),
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': language,
      Vary: 'Accept-Language, User-Agent',
    },
  })

export const redirect = (location: string, status = 302) =>
  new Response(null, { status, headers: { ...securityHeaders, ...NO_STORE, Location: location } })

export const TOO_MANY = 'Terlalu banyak permintaan. Coba lagi sebentar. / Too many requests. Try again in a moment.'

export const plain = (status: number, text: string, headers: Record<string, string> = {}) =>
  new Response(`${text}\n`, { status, headers: { ...plainHeaders, ...headers } })
