import type { OrgId } from '../../../kernel/ids.ts'
import type { ChannelNumber, RawHook } from '../../channel-connector.ts'
import { type HookValue, hookOf } from './graph-hook.ts'
import { simulatorNumberNotFound } from './simulator.errors.ts'

/**
 * The door through which networks report: the simulator opens a number and posts its hooks as any network does, with the
 * signature checked and the bytes journaled before anything is made of them. Channels have it; it is handed in because
 * channels are put together from their connectors.
 */
export type HookDoor = {
  numbers: {
    open(orgId: OrgId, id: string): Promise<{ number: ChannelNumber; connector: { kind: string } } | null>
  }
  receiveHook(kind: string, numberId: string, hook: RawHook): Promise<{ status: number; detail: string | null }>
}

export const SIMULATOR = 'simulator'

export type NumberPlace = { orgId: OrgId; id: string }

export async function findNumber(door: HookDoor, { orgId, id }: NumberPlace): Promise<ChannelNumber | null> {
  const opened = await door.numbers.open(orgId, id)
  return opened?.connector.kind === SIMULATOR ? opened.number : null
}

export async function getNumber(door: HookDoor, place: NumberPlace): Promise<ChannelNumber> {
  const number = await findNumber(door, place)
  if (number === null) throw simulatorNumberNotFound({ params: { id: place.id } })
  return number
}

export async function post(door: HookDoor, number: ChannelNumber, value: HookValue): Promise<void> {
  const { status, detail } = await door.receiveHook(SIMULATOR, number.id, hookOf(number, value))
  if (status !== 200) throw new Error(`a hook of the simulated network was refused with ${status}: ${detail}`)
}
