import type { Description } from './sdk-description.ts'
import { sdkResources } from './sdk-resources.ts'
import { GENERATED, sdkTypes } from './sdk-types.ts'

/** What of the SDK is made from openapi.json, by path. */
export function sdkFiles(openApi: string): Record<string, string> {
  const description: Description = JSON.parse(openApi)
  return {
    'sdk/src/generated/event-types.ts': eventTypes(description),
    'sdk/src/generated/types.ts': sdkTypes(description),
    'sdk/src/generated/resources.ts': sdkResources(description),
  }
}

/** For those who have to ask at run time what the types say at compile time. */
const eventTypes = ({ webhooks }: Description) =>
  [
    GENERATED,
    '/** The names of all events of the catalogue. */',
    'export const EVENT_TYPES: readonly string[] = [',
    ...Object.keys(webhooks).map((name) => `  '${name}',`),
    ']\n',
  ].join('\n')
