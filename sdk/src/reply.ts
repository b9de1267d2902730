import type { ResponseInfo } from './response-info.ts'

export type Answered<T> = { data: T; response: ResponseInfo }

/**
 * What a call returns: a promise of its result. `withResponse()` adds the response, so that results carry neither
 * request ids nor limits.
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
    // A failure rejects the promise that is awaited, and is not reported a second time as unhandled.
    this.catch(() => {})
    return this.#answer
  }
}
