import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Database, Queries } from './database.ts'

/**
 * Lets a library that speaks Kysely use our connections, so that it shares their number, their time-outs and their care for
 * lost connections. We write no Kysely ourselves.
 */
export const kyselyDialect = (database: Database): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new SharedDriver(database),
  createIntrospector: (kysely) => new PostgresIntrospector(kysely),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})

class SharedDriver implements Driver {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SharedConnection> {
    return new SharedConnection(this.#database)
  }

  async beginTransaction(connection: SharedConnection): Promise<void> {
    await connection.reserve()
    await connection.executeQuery(CompiledQuery.raw('begin'))
  }

  async commitTransaction(connection: SharedConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: SharedConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async releaseConnection(connection: SharedConnection): Promise<void> {
    connection.release()
  }

  async destroy(): Promise<void> {}
}

/** Statements go to the shared connections; only a transaction takes one for itself. */
class SharedConnection implements DatabaseConnection {
  readonly #database: Database
  #own: (Queries & { release(): void }) | null = null

  constructor(database: Database) {
    this.#database = database
  }

  async reserve(): Promise<void> {
    this.#own = await this.#database.reserve()
  }

  release(): void {
    this.#own?.release()
    this.#own = null
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const queries = this.#own ?? this.#database
    const rows = await queries.many<Row>(asTemplate(query.sql), ...query.parameters)
    const { count } = rows as Row[] & { count: number }
    return { rows, numAffectedRows: BigInt(count ?? rows.length) }
  }

  // biome-ignore lint/correctness/useYield: nothing that uses this streams.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('streaming is not supported')
  }
}

const templates = new Map<string, TemplateStringsArray>()
const TEMPLATES_MAX = 500

/** `… where a = $1 and b = $2` as the strings of a tagged template. Kysely numbers parameters in the order of the text. */
function asTemplate(sql: string): TemplateStringsArray {
  const known = templates.get(sql)
  if (known !== undefined) return known
  const strings = sql.split(/\$\d+/)
  const template = Object.assign(strings, { raw: strings }) as unknown as TemplateStringsArray
  if (templates.size >= TEMPLATES_MAX) templates.clear()
  templates.set(sql, template)
  return template
}
