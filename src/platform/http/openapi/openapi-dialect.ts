import type { Components, JsonObject, Reference } from './openapi-components.ts'

/**
 * The conventions of another API that we imitate. A separate surface serves a route with a dialect, and this code only
 * describes it: its errors have the form of that API, and its body may be something other than JSON.
 */
export type Dialect = {
  bodyType?: string
  /** Responses by status. */
  describeErrors(components: Components): [string, JsonObject | Reference][]
}
