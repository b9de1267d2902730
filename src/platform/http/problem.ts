import type { ProblemError } from '../../kernel/errors.ts'

/** RFC 9457 with our five extension members: code, errors, params, request_id and doc_url. */
export type Problem = {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: string
  errors?: { pointer?: string; parameter?: string; header?: string; code: string; detail: string; params?: object }[]
  params?: Record<string, unknown>
  request_id: string
  doc_url: string
}

/** The same string on every installation, because clients compare it. */
export const problemType = (code: string) => `https://nexkit.dev/errors/${code}`

export function problemOf(error: ProblemError, request: { requestId: string; path: string; docsUrl: string }): Problem {
  const { declaration, options } = error
  return {
    type: problemType(declaration.code),
    title: declaration.title,
    status: declaration.status,
    detail: options.says ?? declaration.says,
    // Enough to recognise it; an echo without bound would be an amplifier.
    instance: request.path.slice(0, 500),
    code: declaration.code,
    ...(options.errors && { errors: options.errors }),
    ...(options.params && { params: options.params }),
    request_id: request.requestId,
    doc_url: `${request.docsUrl}/errors/${declaration.code}`,
  }
}
