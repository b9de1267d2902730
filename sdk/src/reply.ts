import type { ResponseInfo } from './response-info.ts'

export type Answered<T> = { data: T; response: ResponseInfo }

/**
 * What a call returns: a promise of its result. Whoever wants to know more asks for `withResponse()` instead; so request
 * ids and limits are in no result, and in nobody's way.
 */
export class Reply<T> extends Promise<T> {
  readonly #answer: Promise<Answered<T>>

  /** What follows from it is an ordinary promise: it has no response of its own. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  constructor(answer: Promise<Answered<T>>) {
    // Resolved with a promise, not by its callbacks: only so does the stack of an error lead on to the line of the caller.
    super((resolve) => resolve(answer.then(({ data }) => data)))
    this.#answer = answer
  }

  /** The result together with the status, request id, rate limit and headers of its answer. */
  withResponse(): Promise<Answered<T>> {
    // A failure is told to whoever looks at the answer, and not a second time as one that nobody looked at.
    this.catch(() => {})
    return this.#answer
  }
}
