/** Where the Markdown of a page is, by the file that VitePress built it from. */
export const markdownAddress = (relativePath: string) =>
  relativePath === 'index.md' ? '/docs.md' : `/docs/${relativePath.replace(/\/index\.md$/, '.md')}`
