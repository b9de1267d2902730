import type { OrgId } from '../../src/kernel/ids.ts'

/** Organizations that tests of one part use without creating them: by these names, or numbered. */
const NAMES = ['one', 'two', 'a', 'b', 'c', 'd', 'o', 'x', 'other', 'full', 'crowd', 'test', 'small', 'stopped', 'due']
const NUMBERED = 50
const INVENTED_MAX = 600

const inventedId = (index: number) => `org_01h000000000000000000${String(index).padStart(5, '0')}` as OrgId

/** In a cluster the template of test databases has their homes. */
export const inventedOrganizations: readonly string[] = [
  ...[...NAMES, 'later', 'much_later', 'empty', 'paused'].map((name) => `org_${name}`),
  ...Array.from({ length: NUMBERED }, (_, index) => `org_${index}`),
  ...Array.from({ length: INVENTED_MAX }, (_, index) => inventedId(index)),
]

let taken = 0

/** One that no other test of the process has, while there are enough. */
export const inventOrganization = (): OrgId => inventedId(taken++ % INVENTED_MAX)
