import type { FieldProblem, ProblemError } from '../../../kernel/errors.ts'
import { validationFailed, valueRefused } from '../http.errors.ts'

/**
 * A body is refused in one of two ways, and the published schema draws the line between them: what it says is 422, so that
 * a caller can prove a body right with the schema alone; what it cannot say (a moment that has passed, an amount that the
 * provider does not take) is 409. Both name the fields. Two exceptions have the published form and are 422 all the same,
 * because no change of state can ever correct them: a phone number that cannot exist (`impossiblePhone`), and a URL that the
 * egress guard refuses.
 */
export const countOf = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? ' needs' : 's need'} attention; see "errors".`

export const breaksSchema = (errors: FieldProblem[]): ProblemError =>
  validationFailed({ says: countOf(errors.length, 'field'), errors })

export const refuseValues = (errors: FieldProblem[]): ProblemError =>
  valueRefused({ says: countOf(errors.length, 'field'), errors })
