/**
 * Every failure a caller can meet is declared once with `defineError` and thrown by calling the declaration.
 * Anything else that is thrown is a bug: logged whole, answered as `internal_error` with nothing but the request id.
 */
export type FieldProblem = {
  /** Exactly one of these three says where: a JSON Pointer as URI fragment, a query or path parameter, or a header. */
  pointer?: string
  parameter?: string
  header?: string
  code: string
  detail: string
  params?: Record<string, unknown>
}

export type ErrorOptions = {
  /** The sentence for this occurrence; the declaration's own sentence when absent. */
  says?: string
  /** Every dynamic value of the sentence, as data. */
  params?: Record<string, unknown>
  errors?: FieldProblem[]
  /** Extra response headers, such as Allow or Retry-After. */
  headers?: Record<string, string>
  /** For the log only; never shown to the caller. */
  detail?: string
  cause?: unknown
}

export type ErrorDeclaration = {
  /** Stable, snake_case, noun_problem. Never renamed and never reused. */
  code: string
  status: number
  /** A few words, the same for every occurrence. */
  title: string
  /** One sentence for the caller: what is wrong and what to do next. */
  says: string
  /** For the documentation: why it happens, what `params` hold, and whether anything was changed. */
  cause: string
  /** For the documentation: what the caller does about it. */
  fix: string
  /** The values of the example response in the documentation. */
  example?: Pick<ErrorOptions, 'params' | 'errors'>
}

export type DefinedError = ErrorDeclaration & ((options?: ErrorOptions) => ProblemError)

export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly declaration: ErrorDeclaration
  readonly options: ErrorOptions

  constructor(declaration: ErrorDeclaration, options: ErrorOptions = {}) {
    super(options.says ?? declaration.says, { cause: options.cause })
    this.declaration = declaration
    this.options = options
  }

  get code(): string {
    return this.declaration.code
  }

  get status(): number {
    return this.declaration.status
  }
}

const declared = new Map<string, ErrorDeclaration>()

export function defineError(declaration: ErrorDeclaration): DefinedError {
  if (declared.has(declaration.code)) throw new Error(`error code ${declaration.code} is declared twice`)
  declared.set(declaration.code, declaration)
  const create = (options?: ErrorOptions) => new ProblemError(declaration, options)
  return Object.assign(create, declaration)
}

/** All declared errors by code: for the docs pages, the OpenAPI enum and the test that compares them. */
export function allErrors(): ErrorDeclaration[] {
  return [...declared.values()].sort((one, other) => (one.code < other.code ? -1 : 1))
}

/** What an error says; a value that is no error, as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * Something the operator has to put right before Nexkit can run. The message says what is wrong and what to do;
 * the command line prints it without a stack and exits with 1.
 */
export class StartError extends Error {
  override readonly name = 'StartError'
}
