import type { Components, JsonObject, Reference } from './openapi-components.ts'

/**
 * The language of someone else's API. A route that has one is served by a surface of its own and only described from
 * here: its errors look as that API's do, and its body may be something other than JSON.
 */
export type Dialect = {
  bodyType?: string
  /** Responses by status. */
  describeErrors(components: Components): [string, JsonObject | Reference][]
}
