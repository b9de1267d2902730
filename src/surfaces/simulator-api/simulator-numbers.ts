import { isSimulatedChannel } from '../../channels/connectors/connectors.ts'
import { simulatorNumberNotFound } from '../../channels/connectors/simulator/simulator.errors.ts'
import { type BusinessNumber, listNumbers } from '../../channels/numbers/numbers.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { Queries } from '../../platform/database/database.ts'

export const isSimulatorNumber = ({ connector, state }: BusinessNumber) =>
  isSimulatedChannel(connector) && state !== 'disconnected'

const digitsOf = (text: string) => text.replaceAll(/\D/g, '')

const isNamed = (number: BusinessNumber, wanted: string): boolean =>
  wanted === number.id ||
  wanted === number.phone_number_id ||
  (digitsOf(wanted) !== '' && digitsOf(wanted) === digitsOf(number.display_phone))

/** The simulator number that is named by id, `phone_number_id` or phone; without a name the default one, else the oldest. */
export function chooseSimulatorNumber(rows: readonly BusinessNumber[], wanted?: string): BusinessNumber | null {
  const numbers = rows.filter(isSimulatorNumber)
  const found =
    wanted === undefined
      ? (numbers.find((number) => number.is_default) ?? numbers[0])
      : numbers.find((number) => isNamed(number, wanted))
  return found ?? null
}

export async function getSimulatorNumber(queries: Queries, orgId: OrgId, wanted?: string): Promise<BusinessNumber> {
  const number = chooseSimulatorNumber(await listNumbers(queries, orgId), wanted)
  if (number === null) throw simulatorNumberNotFound(wanted === undefined ? {} : { params: { number: wanted } })
  return number
}
