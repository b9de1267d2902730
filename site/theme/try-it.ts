import type { TryItCall } from '../../src/surfaces/docs/docs-page.ts'

/** Sends the call of a page to the server that the page came from, and to no other. */
export type Answer = { status: number; statusText: string; milliseconds: number; headers: string; body: string }

export type Entered = { key: string; values: Record<string, string>; body: string }

/** Gone with the tab. It is sent in the header of the call and to nowhere else. */
const STORED_KEY = 'nexkit-docs-key'
export const readKey = () => sessionStorage.getItem(STORED_KEY) ?? ''
export const storeKey = (key: string) => sessionStorage.setItem(STORED_KEY, key)

export function requestPath({ path, parameters }: TryItCall, values: Record<string, string>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
  const query = new URLSearchParams()
  for (const { name, in: place } of parameters) if (place === 'query' && values[name]) query.set(name, values[name])
  return query.size === 0 ? filled : `${filled}?${query}`
}

export async function send(call: TryItCall, { key, values, body }: Entered): Promise<Answer> {
  const startedAt = performance.now()
  const response = await fetch(requestPath(call, values), {
    method: call.method,
    // A person who is signed in to the console is not who calls here.
    credentials: 'omit',
    redirect: 'error',
    cache: 'no-store',
    headers: {
      Authorization: `Bearer ${key.trim()}`,
      Accept: 'application/json',
      ...(call.body !== null && { 'Content-Type': 'application/json' }),
    },
    ...(call.body !== null && { body }),
  })
  const text = await response.text()
  return {
    status: response.status,
    statusText: response.statusText,
    milliseconds: Math.round(performance.now() - startedAt),
    headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
    body: readable(text),
  }
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
