import type { Json, JsonObject } from '../../platform/http/openapi/openapi-components.ts'

/** Reads JSON by looking at it: schemas, answers and arguments have the form that their values have. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object, or an empty one in place of anything else. */
export const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** Those of a list that are objects; none of anything else. */
export const objectsOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
