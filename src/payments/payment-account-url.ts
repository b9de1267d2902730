import { baseUrlProblem, plainBaseUrl } from '../platform/http/base-url.ts'
import { breaksSchema } from '../platform/http/field-refusals.ts'

export function acceptBaseUrl(text: string | null): string | null {
  if (text === null) return null
  const problem = baseUrlProblem(text, 'https://api.sandbox.midtrans.com')
  if (problem === null) return plainBaseUrl(text)
  throw breaksSchema([{ pointer: '#/base_url', code: 'invalid', detail: problem }])
}
