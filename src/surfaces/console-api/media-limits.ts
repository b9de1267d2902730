import type { Channels } from '../../channels/channels.ts'
import { MEDIA_RULES } from '../../channels/media-limits.ts'
import type { MediaType } from '../../channels/message-content.ts'
import { getNumber } from '../../channels/numbers.ts'
import type { OrgId } from '../../kernel/ids.ts'

/** What files a number takes: what the channel says, and less where the connector itself takes less. */
export type MediaLimit = { type: MediaType; mimeTypes: readonly string[]; bytesMax: number; takesCaption: boolean }

/** By the name of a connector: the most bytes that any file may have. */
export type ConnectorFileLimits = Readonly<Record<string, number>>

export type MediaLimitsReader = (orgId: OrgId, numberId: string) => Promise<MediaLimit[]>

const WITHOUT_CAPTION: readonly MediaType[] = ['audio', 'sticker']

export const createMediaLimitsReader =
  ({
    channels,
    fileLimits,
  }: {
    channels: Pick<Channels, 'context'>
    fileLimits: ConnectorFileLimits
  }): MediaLimitsReader =>
  async (orgId, numberId) => {
    const { connector } = await getNumber(channels.context.database, orgId, numberId)
    const most = fileLimits[connector] ?? Number.POSITIVE_INFINITY
    return (Object.keys(MEDIA_RULES) as MediaType[]).map((type) => ({
      type,
      mimeTypes: MEDIA_RULES[type].mimeTypes,
      bytesMax: Math.min(MEDIA_RULES[type].bytesMax, most),
      takesCaption: !WITHOUT_CAPTION.includes(type),
    }))
  }
