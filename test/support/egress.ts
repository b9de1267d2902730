import { parseCidr } from '../../src/platform/http/limits/client-address.ts'
import { createEgress } from '../../src/platform/outbound-http/egress.ts'
import { resolveHost } from '../../src/platform/runtime/resolve-host.ts'

/** The guard as a trial start has it: stand-ins on this machine may be reached. */
export const loopbackEgress = createEgress(
  { allowedRanges: [parseCidr('127.0.0.0/8'), parseCidr('::1/128')] },
  resolveHost,
)
