import type { Database } from '../../platform/database/database.ts'
import { type EndpointRow, listEndpointVersions } from './endpoints.sql.ts'

/**
 * Notifies runs that send to an endpoint for a while that it was changed meanwhile: paused, deleted, or given another secret
 * or URL. However many they are, all that is watched is asked for in one statement, every so often and only while there is
 * watches. When the database does not answer, everything counts as changed.
 */
export type WatchedEndpoint = { isChanged: boolean; end(): void }

export type EndpointWatch = { start(endpoint: EndpointRow): WatchedEndpoint }

/** For how long after a change a run may still send with the earlier settings. */
export const NOTICED_MS_MAX = 50

type Watched = WatchedEndpoint & { endpoint: EndpointRow }

export function createEndpointWatch(database: Database): EndpointWatch {
  const watched = new Set<Watched>()
  let isLooking = false
  const look = async () => {
    const asked = [...watched]
    const orgIds = [...new Set(asked.map(({ endpoint }) => endpoint.org_id))]
    const ids = [...new Set(asked.map(({ endpoint }) => endpoint.id))]
    const rows = await listEndpointVersions(database, orgIds, ids).catch(() => [])
    const versions = new Map(rows.map((row) => [row.id, row.version]))
    for (const each of asked) each.isChanged ||= versions.get(each.endpoint.id) !== each.endpoint.version
  }
  const lookUntilNobodyWatches = async () => {
    isLooking = true
    while (watched.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, NOTICED_MS_MAX))
      if (watched.size > 0) await look()
    }
    isLooking = false
  }
  return {
    start(endpoint) {
      const each: Watched = { endpoint, isChanged: false, end: () => watched.delete(each) }
      watched.add(each)
      if (!isLooking) void lookUntilNobodyWatches()
      return each
    },
  }
}
