import type { DocsPage } from './docs-page.ts'
import { type Places, publicPath, SECTIONS } from './pages.ts'

/** https://llmstxt.org: one title, one quoted summary, then sections of links with a note each. */
export function llmsText(options: Places & { pages: DocsPage[]; basePath: string; mcpPath: string | null }): string {
  const { publicUrl, openApiPath, asyncApiPath, basePath, pages, mcpPath } = options
  const link = (label: string, path: string, note: string) => `- [${label}](${publicUrl}${path}): ${note}`
  const listSection = (title: string, entries: DocsPage[]) =>
    entries.length === 0
      ? []
      : [`## ${title}`, '', ...entries.map((page) => link(page.title, `${publicPath(page.path)}.md`, page.summary)), '']
  const agents =
    mcpPath === null
      ? []
      : [
          '## Agents',
          '',
          link(
            'MCP',
            mcpPath,
            'the same operations as tools, over streamable HTTP; connect by OAuth 2.1 from this address alone, or with the token of an agent',
          ),
          '',
        ]
  return [
    '# Nexkit',
    '',
    '> WhatsApp chats, orders and Indonesian payments (QRIS, virtual accounts) behind one key-authenticated JSON API.',
    '',
    `The base address is ${publicUrl}${basePath}. Every call carries \`Authorization: Bearer nxk_live_…\`. Errors are problem documents with a stable \`code\`; each code has a page at ${publicUrl}/docs/errors/{code}.md. Send an \`Idempotency-Key\` with every POST.`,
    '',
    '## API',
    '',
    link('Start', '/docs.md', 'the first call and a list of all guides'),
    link(
      'API reference',
      '/docs/api.md',
      'every operation on a page, with samples in curl, TypeScript, Python and PHP',
    ),
    link('Events', '/docs/events.md', 'every event that webhook endpoints receive, with an example of each'),
    link('OpenAPI description', openApiPath, 'the same operations in OpenAPI 3.1'),
    link('AsyncAPI description', asyncApiPath, 'the events in AsyncAPI 3'),
    link('Error codes', '/docs/errors.md', 'every code, when it happens and what to do'),
    '',
    ...SECTIONS.flatMap(({ folder, title }) =>
      listSection(
        title,
        pages.filter(({ path }) => path.startsWith(`${folder}/`)),
      ),
    ),
    ...listSection(
      'Bahasa Indonesia',
      pages.filter(({ path }) => path.startsWith('id/')),
    ),
    ...agents,
    '## Optional',
    '',
    link('Docs for people', '/docs', 'the same pages with search, and forms that try calls'),
    '',
  ].join('\n')
}
