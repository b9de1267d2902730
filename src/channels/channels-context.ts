import type { Clock } from '../kernel/clock.ts'
import type { OrgId } from '../kernel/ids.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { SecretBox } from '../platform/database/secret-box.ts'
import type { Egress } from '../platform/outbound-http/egress.ts'
import type { ChannelConnector } from './channel-connector.ts'

/** What the operations on numbers are handed. */
export type ChannelsContext = {
  database: Database
  clock: Clock
  secretBox: SecretBox
  connectors: ConnectorMap
  /** The guard for addresses that tenants set. */
  egress: Egress
  /** Where networks reach this server. */
  publicUrl: string
  /** Runs in the transaction that pauses a number. */
  onPaused?: OnNumberPaused | undefined
}

export type OnNumberPaused = (tx: Tx, orgId: OrgId, numberId: string) => Promise<void>

/** By name. */
export type ConnectorMap = ReadonlyMap<string, ChannelConnector>

export function connectorMap(connectors: readonly ChannelConnector[]): ConnectorMap {
  const byName = new Map(connectors.map((connector) => [connector.name, connector]))
  if (byName.size !== connectors.length) throw new Error('two connectors of one name')
  return byName
}
