/** Values of unknown type, as they come out of JSON, read member by member. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const NO_MEMBERS: Record<string, unknown> = Object.freeze({})

/** The members of an object; none for any other value. */
export const membersOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : NO_MEMBERS)

/** `Object.keys` of a record whose type lists all of its members. */
export const keysOf = <Members extends object>(record: Members) =>
  Object.keys(record) as Extract<keyof Members, string>[]

/** `Object.entries` of a record whose type lists all of its members. */
export const entriesOf = <Members extends object>(record: Members) =>
  Object.entries(record) as { [Name in Extract<keyof Members, string>]: [Name, Members[Name]] }[Extract<
    keyof Members,
    string
  >][]
