import type { Guide, Places } from './guides.ts'

/** https://llmstxt.org: one title, one quoted summary, then sections of links with a note each. */
export function llmsText(options: Places & { guides: Guide[]; basePath: string; mcpPath: string | null }): string {
  const { publicUrl, openApiPath, asyncApiPath, basePath, guides, mcpPath } = options
  const link = (label: string, path: string, note: string) => `- [${label}](${publicUrl}${path}): ${note}`
  const agents =
    mcpPath === null
      ? []
      : [
          '',
          '## Agents',
          '',
          link(
            'MCP',
            mcpPath,
            'the same operations as tools, over streamable HTTP; connect by OAuth 2.1 from this address alone, or with the token of an agent',
          ),
        ]
  return [
    '# Nexkit',
    '',
    '> WhatsApp chats, orders and Indonesian payments (QRIS, virtual accounts) behind one key-authenticated JSON API.',
    '',
    `The base address is ${publicUrl}${basePath}. Every call carries \`Authorization: Bearer nxk_live_…\`. Errors are problem documents with a stable \`code\`; each code has a page at ${publicUrl}/docs/errors/{code}.md. Send an \`Idempotency-Key\` with every POST.`,
    '',
    '## Reference',
    '',
    link('OpenAPI description', openApiPath, 'every endpoint, request, answer and error in OpenAPI 3.1'),
    link('AsyncAPI description', asyncApiPath, 'every event that webhook endpoints get, in AsyncAPI 3'),
    link('Error codes', '/docs/errors.md', 'every code, when it happens and what to do'),
    '',
    '## Guides',
    '',
    link('Start', '/docs.md', 'the first call'),
    ...guides.map((guide) => link(guide.title, `/docs/guides/${guide.name}.md`, guide.summary)),
    ...agents,
    '',
    '## Optional',
    '',
    link('Docs for people', '/docs', 'the same reference as a web page where calls can be tried out'),
    '',
  ].join('\n')
}
