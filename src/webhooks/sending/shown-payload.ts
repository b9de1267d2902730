import { getEvent } from '../../events/events.ts'
import { ProblemError } from '../../kernel/errors.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Database } from '../../platform/database/database.ts'
import { getDelivery } from '../deliveries/deliveries.ts'
import { findAnyEndpoint, isCloudFormat } from '../endpoints/endpoints.ts'
import type { RenderCloudBody } from './delivery.jobs.ts'
import { renderBody } from './delivery-body.ts'

/** The body of a delivery as its endpoint gets it by its current settings; null when the event was erased or has expired. */
export type ReadPayload = (orgId: OrgId, deliveryId: string) => Promise<string | null>

type PayloadSource = { database: Database; eventsPath: string; renderCloudBody: RenderCloudBody }

export const createPayloadReader =
  ({ database, eventsPath, renderCloudBody }: PayloadSource): ReadPayload =>
  async (orgId, deliveryId) => {
    const delivery = await getDelivery(database, orgId, deliveryId)
    const [event, endpoint] = await Promise.all([
      getEvent(database, orgId, delivery.event_id).catch(noneIfGone),
      findAnyEndpoint(database, orgId, delivery.endpoint_id),
    ])
    if (event === null || endpoint === null || event.erased_at !== null) return null
    if (isCloudFormat(endpoint) && !event.is_test) return renderCloudBody({ ...event, traceparent: null })
    return renderBody(event.body, { isThin: endpoint.payload === 'thin', eventsPath }).bytes.toString()
  }

const noneIfGone = (error: unknown): null => {
  if (error instanceof ProblemError) return null
  throw error
}
