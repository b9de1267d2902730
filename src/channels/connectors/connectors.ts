import type { ChannelConnector, ChannelDefinition, ChannelParts } from '../channel-connector.ts'
import { simulator } from './simulator/simulator.ts'
import { whatsAppCloud } from './whatsapp-cloud/whatsapp-cloud.ts'

/** Every channel that numbers can be connected to, for the server and the commands. A new one is a folder and a line here. */
export const channelDefinitions: readonly ChannelDefinition[] = [whatsAppCloud, simulator]

export const createConnectors = (parts: ChannelParts): ChannelConnector[] =>
  channelDefinitions.map(({ create }) => create(parts))

/** Whether what a number of this connector sends stays in this server. */
export const isSimulatedChannel = (connector: string): boolean =>
  channelDefinitions.some(({ name, isSimulated }) => name === connector && isSimulated)
