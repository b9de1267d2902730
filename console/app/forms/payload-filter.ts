import type { Endpoint } from '../api/webhooks.ts'

/** A payload filter as it is typed: `path = value, value`, a line for each path. */
type Filter = NonNullable<Endpoint['filter']>

export const filterText = (filter: Filter | null): string =>
  Object.entries(filter ?? {})
    .map(([path, values]) => `${path} = ${values.join(', ')}`)
    .join('\n')

/** Null for none; undefined when a line is not understood. */
export function parseFilter(text: string): Filter | null | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pairs = lines.map((line) => {
    const [path = '', ...others] = line.split('=')
    const values = others.join('=').split(',')
    return [path.trim(), values.map((value) => value.trim()).filter((value) => value !== '')] as const
  })
  if (pairs.some(([path, values]) => path === '' || values.length === 0)) return undefined
  return pairs.length === 0 ? null : Object.fromEntries(pairs.map(([path, values]) => [path, [...values]]))
}
