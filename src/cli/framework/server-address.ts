import type { Config } from '../../config.ts'
import { publicUrlOf } from '../../main.ts'
import { listLiveProcesses } from '../../platform/cluster/live-processes.sql.ts'
import type { Database } from '../../platform/database/database.ts'

/**
 * The public address of the server, for the output of a command: from the setting of this command, else from the running
 * server (the last one started if there are several), else as a server started from here would have it.
 */
export async function findPublicUrl(database: Database, config: Config): Promise<string> {
  if (config.publicUrl !== null) return config.publicUrl
  const live = await listLiveProcesses(database)
  const serving = live.findLast(({ role, publicUrl }) => role !== 'worker' && publicUrl !== null)
  return serving?.publicUrl ?? publicUrlOf(config)
}

/** Networks and providers call by https only, so an address without https is not the public one. */
export const adviseOn = (webhookUrl: string): string[] =>
  webhookUrl.startsWith('https://')
    ? []
    : [
        'It cannot be called from outside. Start the server with NEXKIT_PUBLIC_URL=https://…, then "show" prints it again.',
      ]
