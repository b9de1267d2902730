import type { OrgId } from '../../kernel/ids.ts'
import type { RawHook } from '../channel-connector.ts'
import type { NumberHealth, OpenedNumbers } from '../numbers/numbers.ts'
import type { JournalWriter } from './journal.ts'

/**
 * What a network posts to us, up to the answer.
 *
 *   unknown number ──▶ 404
 *   readHook: challenge ──▶ 200 with what it asks for · refused ──▶ 4xx · genuine ──▶ journaled, then 200
 *
 * Nothing is applied here: networks want their answer within a quarter of a second, and repeat what they got none for.
 */
export type HookAnswer = {
  status: number
  body: string
  contentType: string
  /** Whose it is, for the log; null when unknown. */
  owner: { orgId: OrgId; id: string } | null
  /** Why it was refused: for the log, not for the caller. */
  detail: string | null
}

export type HookReception = (kind: string, numberId: string, hook: RawHook) => Promise<HookAnswer>

const PLAIN = 'text/plain; charset=utf-8'
const says = (status: number, body: string): Pick<HookAnswer, 'status' | 'body' | 'contentType'> => ({
  status,
  body,
  contentType: PLAIN,
})

export function createHookReception(options: {
  numbers: OpenedNumbers
  journal: JournalWriter
  health: NumberHealth
}): HookReception {
  const { numbers, journal, health } = options
  return async (kind, numberId, hook) => {
    const opened = await numbers.openById(numberId)
    if (opened === null || opened.connector.kind !== kind)
      return { ...says(404, 'There is no such number here.'), owner: null, detail: 'number unknown' }
    const { row, number, connector } = opened
    const owner = { orgId: row.org_id, id: row.id }
    const verdict = connector.readHook(number, hook)
    if (verdict.kind === 'challenge') return { ...says(200, verdict.body), owner, detail: null }
    if (verdict.kind === 'refused')
      return { ...says(verdict.status, 'This call was refused.'), owner, detail: verdict.detail }
    await journal.write(number, hook.body)
    health.heardOf(row.org_id, row.id)
    return { ...says(200, 'ok'), owner, detail: null }
  }
}
