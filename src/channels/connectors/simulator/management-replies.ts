import type { Clock } from '../../../kernel/clock.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ChannelNumber, ManagementCall, ManagementReply } from '../../channel-connector.ts'

/** What every call to the simulated network takes, and how it is answered. */
export type ManagementOptions = { database: Database; clock: Clock }

export type Call = ManagementCall & { number: ChannelNumber }
export const done = (body: Record<string, unknown>): ManagementReply => ({ status: 200, body })

export const refuse = (
  message: string,
  { code = 100, subcode }: { code?: number; subcode?: number } = {},
): ManagementReply => ({
  status: 400,
  body: {
    error: {
      message: `(#${code}) ${message}`,
      type: 'OAuthException',
      code,
      ...(subcode !== undefined && { error_subcode: subcode }),
    },
  },
})

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
