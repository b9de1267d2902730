/** A page of the docs in Markdown: what its `.md` address answers, and what the site is built from. */
export type DocsPage = {
  /** Below `/docs/`, without an ending: `guides/quickstart`, `api/create-order`. */
  path: string
  title: string
  /** One sentence or two. */
  summary: string
  /** Links to other pages are `/docs/….md`, or relative. */
  markdown: string
  /** The heading that it is listed under beside other pages of its part. */
  group: string
  /** The label in lists, where the title is too long for one. */
  label?: string
  /** The call that a reader can try on the page, with a key. */
  tryIt?: TryItCall
}

export type TryItCall = {
  method: string
  /** Below the origin, with `{name}` where a value goes. */
  path: string
  parameters: {
    name: string
    in: 'path' | 'query' | 'header'
    isRequired: boolean
    example: string
    values?: string[]
  }[]
  body: string | null
}
