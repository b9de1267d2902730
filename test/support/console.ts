import { createHmac } from 'node:crypto'
import { addMember, createPerson, type PeopleContext } from '../../src/accounts/people/people.ts'
import type { Role } from '../../src/accounts/people/roles.ts'
import { peopleContext } from '../../src/boot/contexts.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { OrgId } from '../../src/kernel/ids.ts'
import { type Callable, type TestApp, testAppOptions } from './app.ts'

/** People who are signed in, and the browser they sit at. */
export const PASSWORD = 'correct horse battery'
export const ORIGIN = 'http://localhost:3900'

export type TestPerson = { id: string; email: string; password: string }

export const testPeople = (app: TestApp): PeopleContext =>
  peopleContext({ clock: systemClock, ...testAppOptions(app) }).people

let counter = 0

export async function aPerson(
  app: TestApp,
  fields: Partial<{ name: string; email: string }> = {},
): Promise<TestPerson> {
  counter += 1
  const email = fields.email ?? `person-${process.pid}-${counter}@example.com`
  const { id } = await createPerson(testPeople(app), {
    name: fields.name ?? `Person ${counter}`,
    email,
    password: PASSWORD,
  })
  return { id, email, password: PASSWORD }
}

export async function aMember(app: TestApp, orgId: OrgId, role: Role): Promise<TestPerson> {
  const person = await aPerson(app)
  await addMember(testPeople(app), orgId, person.id, role)
  return person
}

export type Browser = {
  /** As a page of the console calls: same origin, with the cookies it was given. */
  call(method: string, path: string, json?: unknown, init?: { headers?: Record<string, string> }): Promise<Response>
  signIn(person: Pick<TestPerson, 'email' | 'password'>): Promise<Response>
  cookies: Map<string, string>
}

/** Each browser has a separate address, because addresses are throttled. */
export function aBrowser(app: Callable, address = anAddress()): Browser {
  const cookies = new Map<string, string>()
  const call: Browser['call'] = async (method, path, json, init = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = {
      origin: ORIGIN,
      'sec-fetch-site': 'same-origin',
      ...(cookie !== '' && { cookie }),
      ...init.headers,
    }
    const body = json === undefined ? {} : { json }
    const response = await app.call(path, { method, headers, address, ...body })
    for (const line of response.headers.getSetCookie()) keepCookie(cookies, line)
    return response
  }
  return {
    call,
    cookies,
    signIn: ({ email, password }) => call('POST', '/api/auth/login', { email, password }),
  }
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
  const at = pair.indexOf('=')
  const isOver = attributes.some((attribute) => /^max-age=0$/i.test(attribute)) || pair.slice(at + 1) === ''
  if (isOver) cookies.delete(pair.slice(0, at))
  else cookies.set(pair.slice(0, at), pair.slice(at + 1))
}

let addresses = 0
const anAddress = () => {
  addresses += 1
  return `198.51.${(addresses >> 8) & 255}.${addresses & 255}`
}

export async function signedIn(app: TestApp, orgId: OrgId, role: Role): Promise<Browser & { person: TestPerson }> {
  const person = await aMember(app, orgId, role)
  const browser = aBrowser(app)
  const response = await browser.signIn(person)
  if (response.status !== 200) throw new Error(`could not sign in: ${await response.text()}`)
  return { ...browser, person }
}

export const codeOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { code?: string }).code

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** What an authenticator app shows for the secret of an otpauth address (RFC 6238). */
export function authenticatorCode(uri: string, nowMs = Date.now()): string {
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  const bits = [...secret.replaceAll('=', '')]
    .map((character) => BASE32.indexOf(character).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const moment = Buffer.alloc(8)
  moment.writeBigUInt64BE(BigInt(Math.floor(nowMs / 30_000)))
  const digest = createHmac('sha1', key).update(moment).digest()
  const offset = (digest.at(-1) as number) & 15
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
