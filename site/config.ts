import type { DefaultTheme, UserConfig } from 'vitepress'
import { markdownAddress } from './addresses.ts'
import { codeTheme, stylesToClasses } from './code-colours.ts'
import { escapeBraces, joinLabelledFences, renderTryIt, scrollTables } from './markdown.ts'
import { correctSearchBox } from './search-box.ts'

/** The settings of VitePress, for the pages of one build. */
export type PageEntry = { path: string; title: string; label?: string; group: string }

const BASE = '/docs/'

export function configure(pages: PageEntry[]): UserConfig<DefaultTheme.Config> {
  return {
    base: BASE,
    title: 'Nexkit docs',
    description: 'WhatsApp chats, orders and Indonesian payments behind one API.',
    cleanUrls: true,
    // A test follows the links; a page must not be missing on a server because of one.
    ignoreDeadLinks: true,
    buildConcurrency: 8,
    // Its way to stop transitions while the theme changes is an inline style, which the policy forbids.
    appearance: { disableTransition: false },
    head: [['link', { rel: 'icon', href: 'data:,' }]],
    transformHead: ({ pageData }) => [
      ['link', { rel: 'alternate', type: 'text/markdown', href: markdownAddress(pageData.relativePath) }],
    ],
    transformHtml: (html) => withoutStyleAttributes(html),
    markdown: {
      theme: codeTheme,
      codeTransformers: [stylesToClasses],
      config(md) {
        // What looks like a tag in a text is text.
        md.set({ html: false })
        md.use(escapeBraces)
        md.use(joinLabelledFences)
        md.use(renderTryIt)
        md.use(scrollTables)
      },
    },
    vite: {
      plugins: [correctSearchBox()],
      build: { chunkSizeWarningLimit: 4000, reportCompressedSize: false },
      logLevel: 'error',
    },
    locales: {
      root: { label: 'English', lang: 'en' },
      id: { label: 'Bahasa Indonesia', lang: 'id', title: 'Dokumentasi Nexkit', themeConfig: indonesian(pages) },
    },
    themeConfig: {
      nav: [
        { text: 'Guides', link: '/', activeMatch: '^/docs/($|guides|concepts|reference)' },
        { text: 'API', link: '/api', activeMatch: '^/docs/(api|objects)' },
        { text: 'Events', link: '/events', activeMatch: '^/docs/events' },
        { text: 'Errors', link: '/errors', activeMatch: '^/docs/errors' },
      ],
      sidebar: {
        '/api': apiSidebar(pages),
        '/objects': apiSidebar(pages),
        '/events': groupedSidebar(pages, 'events'),
        '/errors': errorSidebar(pages),
        '/': writtenSidebar(pages, ['guides', 'concepts', 'reference']),
      },
      outline: { level: [2, 3], label: 'On this page' },
      search: { provider: 'local', options: searchOptions },
      darkModeSwitchLabel: 'Theme',
      i18nRouting: false,
    },
  }
}

/** The policy forbids them. The theme sets those that it needs by script, and `look.css` has the rest. */
const withoutStyleAttributes = (html: string) => html.replaceAll(/ style="[^"<>]*"/g, '')

const item = ({ path, title, label }: PageEntry) => ({ text: label ?? title, link: `/${path}` })

/** Pages in one part, under the headings of their groups. */
function groups(pages: PageEntry[], isCollapsed: boolean): DefaultTheme.SidebarItem[] {
  const names = [...new Set(pages.map(({ group }) => group))]
  return names.map((name) => ({
    text: name,
    ...(isCollapsed && { collapsed: true }),
    items: pages.filter(({ group }) => group === name).map(item),
  }))
}

const within = (pages: PageEntry[], folder: string) => pages.filter(({ path }) => path.startsWith(`${folder}/`))

const writtenSidebar = (pages: PageEntry[], folders: string[]) =>
  folders.flatMap((folder) => groups(within(pages, folder), false))

const groupedSidebar = (pages: PageEntry[], part: string): DefaultTheme.SidebarItem[] => [
  { items: pages.filter(({ path }) => path === part).map(item) },
  ...groups(within(pages, part), true),
]

/** By status alone: more than a hundred codes beside every page would help no one and cost much to render. */
const errorSidebar = (pages: PageEntry[]): DefaultTheme.SidebarItem[] => [
  { items: pages.filter(({ path }) => path === 'errors').map(item) },
  {
    text: 'By status',
    items: [...new Set(within(pages, 'errors').map(({ group }) => group))].map((status) => ({
      text: status,
      link: `/errors#_${status.toLowerCase().replaceAll(' ', '-')}`,
    })),
  },
]

const apiSidebar = (pages: PageEntry[]): DefaultTheme.SidebarItem[] => [
  ...groupedSidebar(pages, 'api'),
  { text: 'Objects', collapsed: true, items: within(pages, 'objects').map(item) },
]

function indonesian(pages: PageEntry[]): DefaultTheme.Config {
  return {
    nav: [
      { text: 'Panduan', link: '/id/', activeMatch: '^/docs/id' },
      { text: 'API (Inggris)', link: '/api' },
    ],
    sidebar: { '/id/': writtenSidebar(pages, ['id/guides', 'id/concepts', 'id/reference']) },
    outline: { level: [2, 3], label: 'Di halaman ini' },
    docFooter: { prev: 'Sebelumnya', next: 'Berikutnya' },
    darkModeSwitchLabel: 'Tema',
    lightModeSwitchTitle: 'Pakai tema terang',
    darkModeSwitchTitle: 'Pakai tema gelap',
    sidebarMenuLabel: 'Menu',
    returnToTopLabel: 'Kembali ke atas',
    langMenuLabel: 'Ganti bahasa',
    skipToContentLabel: 'Langsung ke isi',
    notFound: {
      title: 'HALAMAN TIDAK DITEMUKAN',
      quote: 'Halaman ini tidak ada.',
      linkLabel: 'Ke beranda',
      linkText: 'Ke beranda',
    },
  }
}

const searchOptions: DefaultTheme.LocalSearchOptions = {
  miniSearch: {
    searchOptions: {
      // A guide answers more than the list of fields of an object does.
      boostDocument: (id: string) => (/\/(api|objects|events|errors)\//.test(id) ? 0.6 : 1),
    },
  },
  locales: {
    id: {
      translations: {
        button: { buttonText: 'Cari', buttonAriaLabel: 'Cari' },
        modal: {
          displayDetails: 'Tampilkan daftar rinci',
          resetButtonTitle: 'Hapus pencarian',
          backButtonTitle: 'Tutup pencarian',
          noResultsText: 'Tidak ada hasil untuk',
          footer: {
            selectText: 'pilih',
            selectKeyAriaLabel: 'enter',
            navigateText: 'pindah',
            navigateUpKeyAriaLabel: 'panah atas',
            navigateDownKeyAriaLabel: 'panah bawah',
            closeText: 'tutup',
            closeKeyAriaLabel: 'escape',
          },
        },
      },
    },
  },
}
