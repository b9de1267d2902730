import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { systemClock } from '../../kernel/clock.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { createGuessThrottle } from './guess-throttle.ts'

const db = useTestDatabase()
const ACCOUNTS = 150
const AT_ONCE = 12

test('first guesses for an account that arrive at once are counted one by one', async () => {
  const database = openDatabase({ url: db.url, connectionsMax: 30 })
  const throttle = createGuessThrottle({ database, clock: systemClock })
  const guess = (account: string) =>
    throttle.admit('password', { account, address: '203.0.113.7', device: null }).then(({ isAdmitted }) => isAdmitted)
  for (let nth = 0; nth < ACCOUNTS; nth++) {
    const admitted = await Promise.all(Array.from({ length: AT_ONCE }, () => guess(`${nth}@example.com`)))
    expect(admitted.filter(Boolean)).toHaveLength(10)
  }
  await database.close()
})
