import { baseUrlProblem } from '../platform/http/base-url.ts'
import { breaksSchema } from '../platform/http/field-refusals.ts'

export function acceptBaseUrl(text: string | null): string | null {
  if (text === null) return null
  const problem = baseUrlProblem(text, 'https://api.sandbox.midtrans.com')
  if (problem === null) return new URL(text).href.replace(/\/+$/, '')
  throw breaksSchema([{ pointer: '#/base_url', code: 'invalid', detail: problem }])
}
