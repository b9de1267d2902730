import { readFileSync } from 'node:fs'

/** The guides are Markdown files of the repository, so that they read well there too; here they become pages. */
export type Guide = { name: string; title: string; summary: string; markdown: string }

/** In the order a newcomer should read them. The start is the top of /docs itself. */
export const GUIDE_NAMES = [
  'authentication',
  'errors',
  'idempotency',
  'pagination',
  'conditional-requests',
  'rate-limits',
  'messages',
  'webhooks',
  'webhooks-recovery',
  'simulator',
  'whatsapp-cloud',
  'cloud-api',
  'orders',
  'payments',
  'pay-page',
  'qris',
  'agents',
  'console',
  'operating',
  'sdk',
  'versioning',
] as const

export const GUIDES_FOLDER = new URL('../../../docs/guides/', import.meta.url)

/** Addresses in the files fit the repository and a first start; a running server inserts its own. */
export type Places = { publicUrl: string; openApiPath: string; asyncApiPath: string }

export function readGuide(name: string, places: Places): Guide {
  const file = readFileSync(new URL(`${name}.md`, GUIDES_FOLDER), 'utf8')
  const markdown = file
    .replaceAll('http://127.0.0.1:3900', places.publicUrl)
    .replaceAll('](../reference/errors.md)', '](/docs/errors.md)')
    .replaceAll('](../../openapi.json)', `](${places.openApiPath})`)
    .replaceAll('](../../asyncapi.json)', `](${places.asyncApiPath})`)
  const parts = /^# (?<title>.+)\n\n(?<summary>.+)\n/.exec(markdown)?.groups
  if (parts === undefined)
    throw new Error(`docs/guides/${name}.md must open with a title and one paragraph that sums it up`)
  return { name, title: parts.title as string, summary: parts.summary as string, markdown }
}
