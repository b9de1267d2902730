import { type Answered, Reply } from './reply.ts'

/** A page as the API answers it. */
export type PageBody<T> = { object: 'list'; data: T[]; has_more: boolean; next_cursor: string | null; url: string }

export type AskForPage<T> = (cursor: string | null) => Promise<Answered<PageBody<T>>>

/** One page of a list: what the API answers, and the way to the next. */
export class Page<T> implements PageBody<T> {
  readonly object = 'list'
  readonly data: T[]
  readonly has_more: boolean
  /** For a later call: `list({ cursor })` with the same filters goes on there. */
  readonly next_cursor: string | null
  readonly url: string
  readonly #ask: AskForPage<T>

  constructor({ data, has_more, next_cursor, url }: PageBody<T>, ask: AskForPage<T>) {
    this.data = data
    this.has_more = has_more
    this.next_cursor = next_cursor
    this.url = url
    this.#ask = ask
  }

  /** Null after the last. */
  async nextPage(): Promise<Page<T> | null> {
    if (this.next_cursor === null) return null
    const { data } = await this.#ask(this.next_cursor)
    return new Page(data, this.#ask)
  }
}

/** A list. `for await` goes through the entries of all pages; to await it gives the first page, `.pages()` all of them. */
export class List<T> extends Reply<Page<T>> implements AsyncIterable<T> {
  constructor(ask: AskForPage<T>) {
    super(ask(null).then(({ data, response }) => ({ data: new Page(data, ask), response })))
  }

  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    for (let page: Page<T> | null = await this; page !== null; page = await page.nextPage()) yield page
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data
  }
}
