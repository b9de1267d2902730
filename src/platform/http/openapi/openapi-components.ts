/** Plain JSON, as it goes into the description. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
export type JsonObject = { [name: string]: Json }

export type Reference = { $ref: string }

const SECTIONS = ['schemas', 'responses', 'parameters', 'examples', 'headers'] as const
export type ComponentSection = (typeof SECTIONS)[number]

/**
 * What several places of the description share. Only what is referred to is kept, because an unused component is noise
 * to a reader and a finding to a linter. Names come out sorted, so that a new route moves nothing else in the file.
 */
export type Components = {
  /** A reference to the named component; `create` runs the first time only. */
  refer(section: ComponentSection, name: string, create: () => JsonObject): Reference
  /** Puts a component in place that must be the same wherever it comes from. */
  put(section: ComponentSection, name: string, value: JsonObject, conflict: string): void
  all(): JsonObject
}

export function createComponents(): Components {
  const sections = new Map<ComponentSection, Map<string, JsonObject>>(SECTIONS.map((section) => [section, new Map()]))
  const sectionOf = (section: ComponentSection) => sections.get(section) as Map<string, JsonObject>
  return {
    refer(section, name, create) {
      const members = sectionOf(section)
      if (!members.has(name)) {
        // The name is taken before `create` runs: the component may refer to itself.
        members.set(name, {})
        members.set(name, create())
      }
      return { $ref: `#/components/${section}/${name}` }
    },
    put(section, name, value, conflict) {
      const present = sectionOf(section).get(name)
      if (present !== undefined && JSON.stringify(present) !== JSON.stringify(value)) throw new Error(conflict)
      sectionOf(section).set(name, value)
    },
    all() {
      const filled = [...sections].filter(([, members]) => members.size > 0)
      return Object.fromEntries(filled.map(([section, members]) => [section, Object.fromEntries(sortByName(members))]))
    },
  }
}

const sortByName = (members: Map<string, JsonObject>) => [...members].sort(([one], [other]) => (one < other ? -1 : 1))
