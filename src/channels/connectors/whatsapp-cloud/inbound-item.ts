import type { ChannelReport } from '../../channel-connector.ts'
import type { ContactBook } from './inbound-person.ts'
import type { JsonObject } from './json-reading.ts'

/** Reads one item of a batch, with the contacts that came beside it. Throws, with a sentence, what it cannot read. */
export type ItemReader = (item: JsonObject, contacts: ContactBook) => ItemReport[]

/** A report before the place it came from is added. */
export type ItemReport = WithoutPlace<ChannelReport>

type WithoutPlace<Report> = Report extends ChannelReport ? Omit<Report, 'phoneNumberId' | 'raw'> : never

export function required<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new Error(`${what} is missing or makes no sense`)
  return value
}
