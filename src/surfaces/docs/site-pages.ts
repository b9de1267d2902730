import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorDeclaration } from '../../kernel/errors.ts'
import { addressOf, apiPages } from './api-pages.ts'
import type { ApiDescription, EventDescription } from './description.ts'
import type { DocsPage } from './docs-page.ts'
import { errorPages } from './error-pages.ts'
import { eventObjects, eventPages } from './event-pages.ts'
import { listPages, type Places, readPage, SECTIONS } from './pages.ts'

/** Every page of the docs: those that people write, and those made from the routes, the events and the error codes. */
export type DocsSources = Places & {
  /** Where the API's paths begin. */
  basePath: string
  errors: readonly ErrorDeclaration[]
}

/** As the files of the repository name them. The built site holds these too, and a server replaces the address. */
export const LOCAL_ADDRESS = 'http://127.0.0.1:3900'
export const LOCAL_PLACES: Places = {
  publicUrl: LOCAL_ADDRESS,
  openApiPath: `${LOCAL_ADDRESS}/api/public/v1/openapi.json`,
  asyncApiPath: `${LOCAL_ADDRESS}/api/public/v1/asyncapi.json`,
}

export function collectPages(sources: DocsSources): DocsPage[] {
  const { errors, publicUrl, basePath } = sources
  const api: ApiDescription = readDescription('openapi.json')
  const events: EventDescription = readDescription('asyncapi.json')
  const written = listPages().map((path) => writtenPage(path, sources))
  const reference = apiPages({ api, errors, publicUrl, basePath, alsoObjects: eventObjects(events) })
  const objects = new Set(reference.flatMap(({ path, title }) => (path.startsWith('objects/') ? [title] : [])))
  return [
    homePage(written, sources),
    indonesianHomePage(written),
    ...written,
    ...reference,
    ...eventPages({ api, events, objects }),
    ...errorPages(errors),
  ]
}

/** From the files, which a test compares with the routes: reading them is much cheaper than describing the routes again. */
const readDescription = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../../..', name), 'utf8'))

function writtenPage(path: string, places: Places): DocsPage {
  const section = SECTIONS.find(({ folder }) => path.split('/').includes(folder))
  const isIndonesian = path.startsWith('id/')
  return { ...readPage(path, places), group: (isIndonesian ? section?.titleId : section?.title) ?? '' }
}

const linkList = (pages: DocsPage[]) =>
  pages.map(({ path, title, summary }) => `- [${title}](${addressOf(path)}): ${summary}`).join('\n')

function homePage(written: DocsPage[], { publicUrl, basePath }: DocsSources): DocsPage {
  const summary = 'WhatsApp chats, orders and Indonesian payments behind one API.'
  const english = written.filter(({ path }) => !path.startsWith('id/'))
  const lists = SECTIONS.map(({ title, folder }) => {
    const own = english.filter(({ path }) => path.startsWith(`${folder}/`))
    return own.length === 0 ? '' : `## ${title}\n\n${linkList(own)}\n\n`
  })
  const markdown = `# Nexkit docs

${summary}

The first start prints an API key. Use it to ask who you are:

\`\`\`sh
curl ${publicUrl}${basePath}/me -H "Authorization: Bearer $NEXKIT_KEY"
\`\`\`

- [API reference](/docs/api.md): every operation, with samples in curl, TypeScript, Python and PHP.
- [Events](/docs/events.md): what webhook endpoints receive.
- [Errors](/docs/errors.md): a page per error code.
- [Bahasa Indonesia](/docs/id.md): panduan untuk toko.

${lists.join('')}`
  return { path: 'index', title: 'Nexkit docs', summary, group: '', markdown: `${markdown.trimEnd()}\n` }
}

function indonesianHomePage(written: DocsPage[]): DocsPage {
  const summary = 'Panduan Nexkit untuk toko: membalas chat WhatsApp, menerima pesanan, dan memudahkan pelanggan bayar.'
  const own = written.filter(({ path }) => path.startsWith('id/'))
  const lists = SECTIONS.map(({ titleId, folder }) => {
    const listed = own.filter(({ path }) => path.startsWith(`id/${folder}/`))
    return listed.length === 0 ? '' : `## ${titleId}\n\n${linkList(listed)}\n\n`
  })
  const english = '[Dokumentasi lengkap untuk pengembang](/docs.md) tersedia dalam bahasa Inggris.'
  const markdown = `# Dokumentasi Nexkit\n\n${summary}\n\n${english}\n\n${lists.join('')}`
  return { path: 'id/index', title: 'Dokumentasi Nexkit', summary, group: '', markdown: `${markdown.trimEnd()}\n` }
}
