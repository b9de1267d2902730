/** Plain JSON, as it goes into the description. */
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
export type JsonObject = { [name: string]: Json }

/** A value that a route or an event shows as an example: written in the code, as JSON. */
export const exampleOf = (example: unknown): Json => example as Json

export type Reference = { $ref: string }

export type ComponentSection = 'schemas' | 'responses' | 'parameters' | 'examples' | 'headers'

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
  const sections: Record<ComponentSection, Map<string, JsonObject>> = {
    schemas: new Map(),
    responses: new Map(),
    parameters: new Map(),
    examples: new Map(),
    headers: new Map(),
  }
  return {
    refer(section, name, create) {
      const members = sections[section]
      if (!members.has(name)) {
        // The name is taken before `create` runs: the component may refer to itself.
        members.set(name, {})
        members.set(name, create())
      }
      return { $ref: `#/components/${section}/${name}` }
    },
    put(section, name, value, conflict) {
      const present = sections[section].get(name)
      if (present !== undefined && JSON.stringify(present) !== JSON.stringify(value)) throw new Error(conflict)
      sections[section].set(name, value)
    },
    all() {
      const filled = Object.entries(sections).filter(([, members]) => members.size > 0)
      return Object.fromEntries(filled.map(([section, members]) => [section, Object.fromEntries(sortByName(members))]))
    },
  }
}

const sortByName = (members: Map<string, JsonObject>) => [...members].sort(([one], [other]) => (one < other ? -1 : 1))
