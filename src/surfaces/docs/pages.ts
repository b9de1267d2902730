import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/**
 * The pages that people write: Markdown files below `docs/`, in folders that are the sections of the site. A file has the
 * address of its path, so links between files work in the repository and on a server alike. Every file is a page; the lists
 * here only say which come first.
 */
export type WrittenPage = {
  /** Below `/docs/`, without an ending: `guides/quickstart`, or `id/guides/quickstart` in Indonesian. */
  path: string
  title: string
  summary: string
  markdown: string
}

/** Addresses in the files fit the repository and a first start; a running server inserts its own. */
export type Places = { publicUrl: string; openApiPath: string; asyncApiPath: string }

export const SECTIONS: { folder: string; title: string; titleId: string; first: string[] }[] = [
  {
    folder: 'guides',
    title: 'Guides',
    titleId: 'Panduan',
    first: [
      'quickstart',
      'send-a-message',
      'receive-webhooks',
      'take-an-order',
      'share-a-payment-link',
      'close-the-day',
      'connect-whatsapp',
      'connect-midtrans',
      'connect-xendit',
      'migrate-from-cloud-api',
      'let-an-agent-work',
      'onboard-shops',
      'test-offline',
      'test-your-bot-offline',
      'use-the-console',
      'go-to-production',
      'back-up-and-move',
      'run-in-containers',
      'scaling',
      'observe',
      'troubleshoot',
    ],
  },
  {
    folder: 'concepts',
    title: 'Concepts',
    titleId: 'Konsep',
    first: [
      'authentication',
      'management',
      'errors',
      'idempotency',
      'pagination',
      'csv',
      'conditional-requests',
      'rate-limits',
      'messages',
      'orders',
      'products',
      'payments',
      'broadcasts',
      'payment-links',
      'documents',
      'erasure',
      'webhooks',
      'webhooks-recovery',
      'agents',
      'simulator',
      'sandbox',
    ],
  },
  { folder: 'reference', title: 'Reference', titleId: 'Referensi', first: ['sdk', 'settings', 'commands', 'metrics'] },
]

/** Old names of guides that have another name now. Those that only moved to another folder are found by their name. */
const RENAMED: Record<string, string> = {
  start: 'guides/quickstart',
  'whatsapp-cloud': 'guides/connect-whatsapp',
  'cloud-api': 'guides/migrate-from-cloud-api',
  operating: 'guides/go-to-production',
  'scale-out': 'guides/scaling',
}

const DOCS_FOLDER = join(import.meta.dirname, '../../../docs')
const REPOSITORY = join(DOCS_FOLDER, '..')
const LANGUAGE_FOLDERS = ['', 'id/']

/** Has a page per code instead, at `/docs/errors`. */
const ERROR_LIST = 'reference/errors'

let pages: readonly string[] | null = null

/** Every page, in the order of the sidebar. */
export function listPages(): readonly string[] {
  pages ??= findPages()
  return pages
}

const findPages = (): string[] =>
  LANGUAGE_FOLDERS.flatMap((language) =>
    SECTIONS.flatMap(({ folder, first }) => {
      const files = filesIn(`${language}${folder}`).sort()
      const listed = first.map((name) => `${language}${folder}/${name}`).filter((path) => files.includes(path))
      return [...listed, ...files.filter((path) => !listed.includes(path))]
    }),
  ).filter((path) => path !== ERROR_LIST)

const filesIn = (folder: string): string[] =>
  existsSync(join(DOCS_FOLDER, folder))
    ? readdirSync(join(DOCS_FOLDER, folder)).flatMap((file) =>
        file.endsWith('.md') ? [`${folder}/${file.slice(0, -'.md'.length)}`] : [],
      )
    : []

export function readPage(path: string, places: Places): WrittenPage {
  const file = readFileSync(join(DOCS_FOLDER, `${path}.md`), 'utf8')
  const markdown = file
    .replaceAll(COMMENT, '')
    .replaceAll('http://127.0.0.1:3900', places.publicUrl)
    .replaceAll(LINK, (link, label: string, target: string) => resolveLink(path, places, { link, label, target }))
  const parts = /^# (?<title>.+)\n\n(?<summary>.+)\n/.exec(markdown)?.groups
  if (parts === undefined) throw new Error(`docs/${path}.md must open with a title and one paragraph that sums it up`)
  const summary = (parts.summary as string).replaceAll(LINK, '$1')
  return { path, title: parts.title as string, summary, markdown }
}

/** Notes for the test that runs the samples. */
const COMMENT = /^ *<!--[\s\S]*?-->\n/gm
const LINK = /(?<!!)\[([^\]]*)\]\(([^)\s]+)\)/g
const ADDRESS = /^([a-z]+:|\/|#)/i

/** A link to a file of the repository that is no page keeps its words only: a server has no such file. */
function resolveLink(
  from: string,
  places: Places,
  { link, label, target }: { link: string; label: string; target: string },
): string {
  // As a browser shows the address of a page.
  if (/^\/docs(\/|#|$)/.test(target)) return `[${label}](${target.replace(/\/?(\.md)?(?=#|$)/, '.md')})`
  if (ADDRESS.test(target)) return link
  const [file = '', anchor] = target.split('#')
  const named = posix.join(posix.dirname(`docs/${from}`), file)
  if (named === 'openapi.json') return `[${label}](${places.openApiPath})`
  if (named === 'asyncapi.json') return `[${label}](${places.asyncApiPath})`
  if (named === `docs/${ERROR_LIST}.md`) return `[${label}](/docs/errors${anchor === undefined ? '' : `/${anchor}`}.md)`
  if (isPageFile(named) || !existsSync(join(REPOSITORY, named))) return link
  return label
}

const isPageFile = (file: string) => listPages().some((path) => file === `docs/${path}.md`)

/** The address of the page of this name, in whichever section it is. */
export const findPage = (name: string) =>
  SECTIONS.map(({ folder }) => `${folder}/${name}`).find((path) => listPages().includes(path))

/** Where a page is now whose address was published under the folder of guides; null when there never was one. */
export function findMoved(path: string): string | null {
  const [, name, ending] = /^\/docs\/guides\/([\w-]+)(\.md)?$/.exec(path) ?? []
  if (name === undefined) return null
  const renamed = RENAMED[name]
  const moved = renamed !== undefined && listPages().includes(renamed) ? renamed : findPage(name)
  return moved === undefined ? null : `/docs/${moved}${ending ?? ''}`
}

/** Where a page is, without an ending: the start of a part is at the address of its folder. */
export const publicPath = (path: string) => `/docs/${path}`.replace(/\/index$/, '')
