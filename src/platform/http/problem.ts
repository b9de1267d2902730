import { type ErrorDeclaration, type FieldProblem, ProblemError } from '../../kernel/errors.ts'

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

/** Bounds that the OpenAPI description states, however long the names are that a caller sends. */
export const DETAIL_MAX = 2000
export const FIELD_PROBLEMS_MAX = 50
export const fieldLengths = { pointer: 1000, name: 200, detail: 1000 }

/** Answers hold no NUL, like requests. */
const boundText = (text: string, lengthMax: number) =>
  text.slice(0, lengthMax).toWellFormed().replaceAll('\u0000', '\ufffd')

const sentence = (text: string, lengthMax: number) =>
  text.length > lengthMax ? `${boundText(text, lengthMax - 1)}…` : boundText(text, lengthMax)

const boundField = ({ pointer, parameter, header, code, detail, params }: FieldProblem): FieldProblem => ({
  ...(pointer !== undefined && { pointer: boundText(pointer, fieldLengths.pointer) }),
  ...(parameter !== undefined && { parameter: boundText(parameter, fieldLengths.name) }),
  ...(header !== undefined && { header: boundText(header, fieldLengths.name) }),
  code,
  detail: sentence(detail, fieldLengths.detail),
  ...(params !== undefined && { params }),
})

export function problemOf(error: ProblemError, request: { requestId: string; path: string; docsUrl: string }): Problem {
  const { declaration, options } = error
  return {
    type: problemType(declaration.code),
    title: declaration.title,
    status: declaration.status,
    detail: sentence(options.says ?? declaration.says, DETAIL_MAX),
    // Enough to recognise it; an echo without bound would be an amplifier.
    instance: request.path.slice(0, 500),
    code: declaration.code,
    ...(options.errors && { errors: options.errors.slice(0, FIELD_PROBLEMS_MAX).map(boundField) }),
    ...(options.params && { params: options.params }),
    request_id: request.requestId,
    doc_url: `${request.docsUrl}/errors/${declaration.code}`,
  }
}

/** A response with this error as the documentation shows it. */
export const exampleProblem = (declaration: ErrorDeclaration, path: string): Problem =>
  problemOf(new ProblemError(declaration, declaration.example), {
    requestId: 'req_01k9x3m5q8e0t9v7a2b4c6d8fg',
    path,
    docsUrl: 'https://nexkit.example/docs',
  })
