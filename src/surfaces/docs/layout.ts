import { escapeHtml } from './html.ts'

/** The frame around every page of the docs. Works without scripts; the order of the source is the order of reading. */
export type NavigationEntry = { path: string; label: string }

export type Frame = {
  version: string
  stylesheet: string
  sections: { title: string; entries: NavigationEntry[] }[]
}

export type Page = {
  title: string
  language?: string
  /** Of the page itself, to mark it in the navigation and to link its Markdown form. */
  path: string
  main: string
  /** Before the frame's own stylesheet, and after it. */
  stylesheets?: { before: string; after: string }
  scripts?: string[]
  /** Wide pages have no list of pages beside them. */
  isWide?: boolean
  hasMarkdown?: boolean
}

export function renderPage(frame: Frame, page: Page): string {
  const { path, hasMarkdown = true } = page
  const styles = page.stylesheets
    ? [page.stylesheets.before, frame.stylesheet, page.stylesheets.after]
    : [frame.stylesheet]
  return `<!doctype html>
<html lang="${page.language ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" href="data:,">
${styles.map((url) => `<link rel="stylesheet" href="${url}">`).join('\n')}
${hasMarkdown ? `<link rel="alternate" type="text/markdown" href="${path}.md">` : ''}
${(page.scripts ?? []).map((url) => `<script src="${url}" defer></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="/docs">Nexkit <span>docs</span></a>
<nav aria-label="Docs">${renderLinks(topEntries, path)}</nav>
</header>
<div class="${page.isWide ? 'wide' : 'columns'}">
<main id="main">
${page.main}
</main>
${page.isWide ? '' : `<aside>${renderAside(frame, path)}</aside>`}
</div>
<footer>Nexkit ${escapeHtml(frame.version)}${hasMarkdown ? ` · <a href="${path}.md">This page as Markdown</a>` : ''} · <a href="/llms.txt">llms.txt</a></footer>
</body>
</html>
`
}

const topEntries: NavigationEntry[] = [
  { path: '/docs', label: 'Start' },
  { path: '/docs#reference', label: 'Reference' },
  { path: '/docs/errors', label: 'Errors' },
]

const renderAside = ({ sections }: Frame, path: string) =>
  sections
    .filter(({ entries }) => entries.length > 0)
    .map(({ title, entries }) => `<nav aria-label="${title}"><h2>${title}</h2>${renderLinks(entries, path)}</nav>`)
    .join('')

const renderLinks = (entries: NavigationEntry[], current: string) =>
  `<ul>${entries
    .map(
      ({ path, label }) =>
        `<li><a href="${path}"${path === current ? ' aria-current="page"' : ''}>${escapeHtml(label)}</a></li>`,
    )
    .join('')}</ul>`
