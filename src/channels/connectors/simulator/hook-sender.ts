import type { OrgId } from '../../../kernel/ids.ts'
import type { ChannelNumber, RawHook } from '../../channel-connector.ts'
import { type HookValue, hookOf } from './graph-hook.ts'
import { simulatorNumberNotFound } from './simulator.errors.ts'

/**
 * Sends hooks of simulated numbers the way a network sends them: the signature is checked and the bytes are journaled before
 * they are processed. The channels implement it; it is handed in because channels are created from their connectors.
 */
export type HookSender = {
  numbers: {
    open(orgId: OrgId, id: string): Promise<{ number: ChannelNumber; connector: { kind: string } } | null>
  }
  receiveHook(kind: string, numberId: string, hook: RawHook): Promise<{ status: number; detail: string | null }>
}

export const SIMULATOR = 'simulator'

export type NumberPlace = { orgId: OrgId; id: string }

export async function findNumber(sender: HookSender, { orgId, id }: NumberPlace): Promise<ChannelNumber | null> {
  const opened = await sender.numbers.open(orgId, id)
  return opened?.connector.kind === SIMULATOR ? opened.number : null
}

export async function getNumber(sender: HookSender, place: NumberPlace): Promise<ChannelNumber> {
  const number = await findNumber(sender, place)
  if (number === null) throw simulatorNumberNotFound({ params: { id: place.id } })
  return number
}

export async function post(sender: HookSender, number: ChannelNumber, value: HookValue): Promise<void> {
  const { status, detail } = await sender.receiveHook(SIMULATOR, number.id, hookOf(number, value))
  if (status !== 200) throw new Error(`a hook of the simulated network was refused with ${status}: ${detail}`)
}
