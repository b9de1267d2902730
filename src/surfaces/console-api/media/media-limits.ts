import type { Channels } from '../../../channels/channels.ts'
import { MEDIA_RULES, type MediaType } from '../../../channels/content/content.ts'
import { getNumber } from '../../../channels/numbers/numbers.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import { keysOf } from '../../../kernel/records.ts'

/** The files that a number accepts: the limits of the channel, or lower ones of the connector. */
export type MediaLimit = { type: MediaType; mimeTypes: readonly string[]; bytesMax: number; takesCaption: boolean }

/** The largest file in bytes, by the name of a connector. */
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
    return keysOf(MEDIA_RULES).map((type) => ({
      type,
      mimeTypes: MEDIA_RULES[type].mimeTypes,
      bytesMax: Math.min(MEDIA_RULES[type].bytesMax, most),
      takesCaption: !WITHOUT_CAPTION.includes(type),
    }))
  }
