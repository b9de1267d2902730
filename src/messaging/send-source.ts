import type { Database } from '../platform/database/database.ts'
import { listSendable, type Sendable } from './sending.sql.ts'

/** A claim starts many runs at once: what they need is looked up together. */
export type SendSource = { load(orgId: string, id: string): Promise<Sendable | null> }

type Wish = { orgId: string; id: string; settle: PromiseWithResolvers<Sendable | null> }

export function createSendSource(database: Database): SendSource {
  let wishes: Wish[] = []
  const loadAll = async () => {
    const batch = wishes
    wishes = []
    try {
      const rows = new Map((await listSendable(database, batch)).map((row) => [`${row.org_id} ${row.id}`, row]))
      for (const { orgId, id, settle } of batch) settle.resolve(rows.get(`${orgId} ${id}`) ?? null)
    } catch (error) {
      for (const { settle } of batch) settle.reject(error)
    }
  }
  return {
    load(orgId, id) {
      const settle = Promise.withResolvers<Sendable | null>()
      if (wishes.push({ orgId, id, settle }) === 1) setImmediate(loadAll)
      return settle.promise
    },
  }
}
