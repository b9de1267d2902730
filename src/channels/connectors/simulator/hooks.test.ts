import { expect, test } from 'bun:test'
import type { OrgId } from '../../../kernel/ids.ts'
import type { ChannelNumber, RawHook } from '../../channel-connector.ts'
import { createStatusHooks } from './hooks.ts'

const aNumber = (id: string): ChannelNumber => ({
  orgId: 'org_1' as OrgId,
  id,
  phoneNumberId: `100${id}`,
  displayPhone: '+6281200009000',
  baseUrl: null,
  credentials: { app_secret: 'a secret' },
  settings: {},
})

const statuses = (count: number, name = 's') => Array.from({ length: count }, (_, nth) => ({ id: `${name}${nth}` }))

/** What each hook brought, by number. */
function aDoor(answer: (numberId: string) => number = () => 200) {
  const posted: { numberId: string; ids: string[] }[] = []
  const postStatuses = createStatusHooks(() => ({
    numbers: { open: async () => null },
    async receiveHook(_, numberId: string, hook: RawHook) {
      const { entry } = JSON.parse(new TextDecoder().decode(hook.body))
      posted.push({ numberId, ids: entry[0].changes[0].value.statuses.map(({ id }: { id: string }) => id) })
      return { status: answer(numberId), detail: null }
    },
  }))
  return { postStatuses, posted }
}

test('statuses of one number travel in one hook when they are posted in the same turn', async () => {
  const { postStatuses, posted } = aDoor()
  const [one, other] = [aNumber('num_1'), aNumber('num_2')]
  const posts = [
    postStatuses(one, statuses(2, 'a')),
    postStatuses(other, statuses(1, 'b')),
    postStatuses(one, statuses(1, 'c')),
  ]
  await Promise.all(posts)
  expect(posted).toEqual([
    { numberId: 'num_1', ids: ['a0', 'a1', 'c0'] },
    { numberId: 'num_2', ids: ['b0'] },
  ])
  await postStatuses(one, statuses(1, 'd'))
  expect(posted.at(-1)).toEqual({ numberId: 'num_1', ids: ['d0'] })
})

test('statuses travel in several hooks when there are too many for one', async () => {
  const { postStatuses, posted } = aDoor()
  const number = aNumber('num_1')
  await Promise.all([64, 400, 64, 200].map((count) => postStatuses(number, statuses(count))))
  expect(posted.map(({ ids }) => ids.length)).toEqual([500, 228])
})

test('every post of a hook fails when the hook is refused, and no other does', async () => {
  const { postStatuses } = aDoor((numberId) => (numberId === 'num_1' ? 500 : 200))
  const posts = ['num_1', 'num_2', 'num_1'].map((id) => postStatuses(aNumber(id), statuses(1)))
  const settled = await Promise.allSettled(posts)
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
})
