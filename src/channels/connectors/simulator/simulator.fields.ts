import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { ChannelField } from '../../channel-connector.ts'

/** A simulator number needs nothing: its secret is made up, and its hooks are signed with it as real ones are. */
export const simulatorFields: readonly ChannelField[] = [
  {
    name: 'app_secret',
    label: 'App secret',
    help: 'signs what the simulated network reports; made up when none is given',
    isSecret: true,
    isRequired: true,
    schema: z.string().regex(/^[\x21-\x7e]{8,1024}$/, 'This must be 8 to 1024 visible characters.'),
    generate: () => randomBytes(24).toString('base64url'),
  },
  {
    name: 'seed',
    label: 'Seed',
    help: 'decides delays, names and ids; the same seed tells the same story again',
    isSecret: false,
    isRequired: false,
    schema: z.string().regex(/^[\x20-\x7e]{1,64}$/, 'This must be 1 to 64 characters.'),
  },
]
