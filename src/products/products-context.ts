import type { Clock } from '../kernel/clock.ts'
import type { Database } from '../platform/database/database.ts'

export type ProductsContext = { database: Database; clock: Clock }
