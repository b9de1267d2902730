import { type FormEvent, useMemo } from 'react'
import { type FieldProblem, Problem } from '../api/problem.ts'
import { sentenceIn, useText } from '../text/text.tsx'

/** A form that acts in place: the browser would otherwise send it and load the page anew. */
export const submitting = (act: () => void) => (event: FormEvent) => {
  event.preventDefault()
  act()
}

/** What a form shows at its fields, in the language of the reader: every failure of a call is a problem, or there is none. */
export function useRefusal(error: unknown): Problem | null {
  const { serverWords } = useText()
  return useMemo(() => {
    if (!(error instanceof Problem)) return null
    if (serverWords === null) return error
    const { code, message: detail, params } = error
    const translated = (field: FieldProblem) =>
      serverWords.sentences[field.detail] ?? sentenceIn(serverWords.fields, field)
    const fields = error.fields.map((field) => ({ ...field, detail: translated(field) }))
    return error.saying(sentenceIn(serverWords.problems, { code, detail, params }), fields)
  }, [error, serverWords])
}
