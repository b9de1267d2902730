/** Values of unknown type, as they come out of JSON, read member by member. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const NO_MEMBERS: Record<string, unknown> = Object.freeze({})

/** The members of an object; none for any other value. */
export const membersOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : NO_MEMBERS)
