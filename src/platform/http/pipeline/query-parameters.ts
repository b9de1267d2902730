import type { z } from 'zod'
import type { FieldProblem } from '../../../kernel/errors.ts'
import { unwrap } from './validation.ts'

/**
 * Query strings are text; the schema says what is meant. Numbers, booleans and comma lists are converted by the type the
 * schema declares, so the same schema validates here and describes the parameter in OpenAPI as what it is.
 */
export type QueryReader = (search: URLSearchParams) => { values: Record<string, unknown>; problems: FieldProblem[] }

type Convert = (text: string) => unknown

const convertNumber: Convert = (text) => (/^-?\d{1,17}(\.\d{1,17})?$/.test(text) ? Number(text) : text)
const convertBoolean: Convert = (text) => (text === 'true' ? true : text === 'false' ? false : text)

function converterFor(schema: z.ZodType): Convert {
  const definition = unwrap(schema)
  if (definition.type === 'number' || definition.type === 'int') return convertNumber
  if (definition.type === 'boolean') return convertBoolean
  if (definition.type === 'array' && definition.element !== undefined) {
    const convertItem = converterFor(definition.element)
    return (text) => text.split(',').map(convertItem)
  }
  return (text) => text
}

export function createQueryReader(schema: z.ZodObject): QueryReader {
  const converters = new Map(Object.entries(schema.shape).map(([name, member]) => [name, converterFor(member)]))
  return (search) => {
    const values: Record<string, unknown> = {}
    const problems: FieldProblem[] = []
    for (const [name, text] of search) {
      if (Object.hasOwn(values, name)) {
        problems.push({
          parameter: name,
          code: 'parameter_repeated',
          detail: `Send "${name}" once; join several values with commas.`,
        })
        continue
      }
      if (text.includes('\u0000')) {
        problems.push({
          parameter: name,
          code: 'text_invalid',
          detail: `"${name}" contains a NUL character. Remove it.`,
        })
        continue
      }
      const convert = converters.get(name)
      Object.defineProperty(values, name, { value: convert === undefined ? text : convert(text), enumerable: true })
    }
    return { values, problems }
  }
}
