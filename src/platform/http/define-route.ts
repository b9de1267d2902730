import type { z } from 'zod'
import type { DefinedError } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/ids.ts'
import type { Scope } from '../../kernel/scopes.ts'
import type { CompanionOf } from '../database/companions.ts'
import type { Queries, Tx } from '../database/database.ts'
import type { Components, JsonObject, Reference } from './openapi/openapi-components.ts'
import type { Caller } from './pipeline/caller.ts'
import type { CsvAnswer } from './pipeline/csv-answer.ts'
import type { CursorCodec } from './pipeline/cursor.ts'
import type { IdempotencyClaim } from './pipeline/idempotency.ts'
import type { HeaderList } from './pipeline/reply.ts'
import type { UploadedFile, UploadRule } from './pipeline/upload.ts'

/**
 * One route, declared once. Validation, the handler's types, the permission check, idempotency, the OpenAPI operation,
 * the agent tool and the name in the request log all come from this one value.
 */
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export type Access<By extends Caller = Caller> = (
  | { type: 'key'; scope: Scope | null }
  /** The console's own: a session, of a person with this power where one is named. */
  | { type: 'session'; power: string | null }
  | { type: 'open' }
) & { readonly [callerType]?: By }

/** Only a type: the caller that the authenticator of such routes finds, which is the one their handlers are given. */
declare const callerType: unique symbol

/** A key with this scope. */
export const key = (scope: Scope): Access => ({ type: 'key', scope })
/** Any valid key. */
export const anyKey: Access = { type: 'key', scope: null }
/** No credential at all. */
export const open: Access = { type: 'open' }

/**
 * How a POST keeps its promise to happen once:
 * - `transaction`: the handler is given a transaction; its effect and the stored answer commit together.
 * - `own`: the handler commits in a transaction that it opens (group commit). It stores the answer with the given claim, and the
 *   companion if there is one, in the transaction of the effect.
 * - `after`: the handler commits as it goes, and its answer is stored after it. A repeat is answered from there; after a crash in
 *   between it happens again. Only for acts of simulators, where that harms no one.
 */
export type IdempotencyMode = 'transaction' | 'own' | 'after'

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined
type ReplyValue<Reply> = Reply extends z.ZodType ? z.input<Reply> : undefined

export type RequestContext<By extends Caller = Caller> = {
  caller: By
  requestId: Id<'req'>
  address: string
  /** The path as called, with whichever base path it was. */
  path: string
  cursors: CursorCodec
  /** What a handler reads with: the transaction that it runs in, where there is one. */
  queries: Queries
  request: Request
  /** Further headers of the answer: name, value, name, value … */
  headers: HeaderList
}

export type HandlerInput<Params, Query, Body, Mode, By extends Caller = Caller> = RequestContext<By> & {
  params: Parsed<Params>
  query: Parsed<Query>
  body: Parsed<Body>
  /** Where the route declares `upload`. */
  file?: UploadedFile
} & (Mode extends 'transaction' ? { tx: Tx } : Mode extends 'own' ? OwnCommit : unknown)

/** What a handler that commits in its own transaction stores there. */
export type OwnCommit = { claim: IdempotencyClaim | null; companion?: CompanionOf | undefined }

/**
 * What a route means for AI agents, which are offered it as a tool of the same name. The gate in front of their calls goes
 * by it: `true` is a read that neither shows what customers wrote nor finds people.
 */
export type AgentTool = true | AgentRead | AgentAct

export type AgentRead = {
  /**
   * - `customer_text`: shows what customers wrote, so a call of it counts as reading it.
   * - `people`: finds people by the beginning or the end of their phone.
   * - `catalogue`: shows nothing of the organization, so it is within every reach.
   */
  reads: 'customer_text' | 'people' | 'catalogue'
}

/** An operation that changes something. */
export type AgentAct = {
  /** The default decision: the agent may, a person is asked first, or never. */
  decision: 'allow' | 'ask' | 'deny'
  /** The position among the operations that people see and set rules for. */
  rank: number
  /** What the request reaches, by the name under which the gate finds it. */
  target: string
  /** Asks for money to come in or go out, so that an amount can be the limit. */
  hasAmount?: true
  /** A customer is written to, if only because their order moved, and it counts among the messages. */
  isMessage?: true
  /** Only adds, so that it counts as not destructive. */
  isAdditive?: true
  /** Answers with what the agent has just written; the name of the customer may still be the customer's. */
  answersOwnWords?: true
  /** The answer brings something new, such as a way to pay, and is shown in full. */
  answersInFull?: true
}

type Optional = z.ZodObject | undefined

type OtherStatus<Value> = { status: number; description: string; when: (reply: Value) => boolean }

/** What every route says of itself. */
type RouteFacts<
  Params extends Optional,
  Query extends Optional,
  Body extends z.ZodType | undefined,
  Status extends number,
  Reply extends z.ZodType | null,
  By extends Caller,
> = {
  /** The one name of this operation in OpenAPI, SDK, tools and logs. */
  id: string
  method: Method
  path: `/${string}`
  tag: string
  summary: string
  description: string
  access: Access<By>
  params?: Params
  query?: Query
  body?: Body
  /** Nothing sent is taken as `{}`. For bodies in which every field has a default, where leaving one out can do no harm. */
  isBodyOptional?: boolean
  /** The success status and its body; null for no body. `also` is another status that some answers of the same schema have. */
  reply: { status: Status; body: Reply; description?: string; also?: OtherStatus<ReplyValue<Reply>> }
  /** The path of the created object, relative to the base path. */
  location?: (reply: ReplyValue<Reply>) => string
  errors?: readonly DefinedError[]
  example: { params?: Record<string, string>; query?: Record<string, string>; body?: unknown; reply: unknown }
  /** Asks others, such as a name server, and throws to refuse. It runs before the transaction, which no outbound call may hold open. */
  precheck?: Precheck<Params, Query, Body, By>
  agentTool?: AgentTool
  /**
   * Names what the request changes; null where the path does not say. Requests of an organization that are there at the same time share a
   * transaction. The handler reads or locks in it first, and waits for that before it writes.
   */
  sharedBy?: (params: Record<string, string>) => string | null
  /** An answer that shows a secret is never compressed, cached or kept in the request log. */
  showsSecret?: boolean
  /** What `Accept: text/csv` is answered with. */
  csv?: CsvAnswer
  /** The body is a file, sent as it is or in a form. */
  upload?: UploadRule
  /** Speaks another API's language: described here, served by a surface. */
  dialect?: Dialect
}

/** Of a request, before anything is done about it. */
type Precheck<Params, Query, Body, By> = (input: {
  caller: By
  params: Parsed<Params>
  query: Parsed<Query>
  body: Parsed<Body>
}) => Promise<void>

export type RouteDeclaration<
  Params extends Optional,
  Query extends Optional,
  Body extends z.ZodType | undefined,
  Status extends number,
  Reply extends z.ZodType | null,
  Mode extends IdempotencyMode | undefined,
  By extends Caller,
> = RouteFacts<Params, Query, Body, Status, Reply, By> & {
  /**
   * The checks of a handler that commits in its own transaction, without its effects: run before a person is asked to approve
   * the request. Other handlers are run for it in a transaction that is undone.
   */
  rehearse?: (input: HandlerInput<Params, Query, Body, undefined, By>) => Promise<unknown>
  handle: (input: HandlerInput<Params, Query, Body, Mode, By>) => Promise<ReplyValue<Reply>> | ReplyValue<Reply>
} & (Mode extends IdempotencyMode ? { idempotency: Mode } : { idempotency?: undefined })

/** Of a request to change something: which thing it names. */
export type Target<Params, Query, By extends Caller = Caller> = {
  caller: By
  params: Parsed<Params>
  query: Parsed<Query>
}

/** Locks the object until the transaction ends, before anything else, with the lock that every change of it takes. */
type Lock<Params, Query, By extends Caller> = (tx: Tx, target: Target<Params, Query, By>) => Promise<unknown>

/** A change in one transaction, which the handler is given and answers from within. */
export type ChangeDeclaration<
  Params extends Optional,
  Query extends Optional,
  Body extends z.ZodType | undefined,
  Status extends number,
  Reply extends z.ZodType | null,
  By extends Caller,
> = RouteFacts<Params, Query, Body, Status, Reply, By> & {
  method: 'PATCH' | 'PUT' | 'DELETE'
  /**
   * Called when the change depends on the state of the object (`If-Match`); an object that does not exist needs no lock. Left out
   * where no GET of the same path shows the object: no request can depend on its state.
   */
  lock?: Lock<Params, Query, By>
  handle: (input: HandlerInput<Params, Query, Body, 'transaction', By>) => Promise<ReplyValue<Reply>>
}

/**
 * A change that calls others between its transactions. The handler opens them; `assertMatch` takes the lock and compares
 * `If-Match` in the first one. It writes the companion, if there is one, in the transaction of the effect.
 */
export type OwnChangeDeclaration<
  Params extends Optional,
  Query extends Optional,
  Body extends z.ZodType | undefined,
  Status extends number,
  Reply extends z.ZodType | null,
  By extends Caller,
> = Omit<ChangeDeclaration<Params, Query, Body, Status, Reply, By>, 'lock' | 'handle'> & {
  lock: Lock<Params, Query, By>
  /** The checks of the handler without its effects, for requests that a person is asked to approve. */
  rehearse: (input: HandlerInput<Params, Query, Body, undefined, By>) => Promise<unknown>
  handle: (input: HandlerInput<Params, Query, Body, undefined, By> & OwnChange) => Promise<ReplyValue<Reply>>
}

export type OwnChange = { assertMatch: (tx: Tx) => Promise<void>; companion?: CompanionOf | undefined }

/** A route whose precise types have served their purpose. */
export type Route = {
  id: string
  method: Method
  path: `/${string}`
  tag: string
  summary: string
  description: string
  access: Access
  params?: z.ZodObject | undefined
  query?: z.ZodObject | undefined
  body?: z.ZodType | undefined
  isBodyOptional?: boolean
  reply: { status: number; body: z.ZodType | null; description?: string; also?: OtherStatus<never> }
  location?: (reply: never) => string
  errors?: readonly DefinedError[]
  example: { params?: Record<string, string>; query?: Record<string, string>; body?: unknown; reply: unknown }
  precheck?: ((input: never) => Promise<void>) | undefined
  agentTool?: AgentTool
  sharedBy?: (params: Record<string, string>) => string | null
  showsSecret?: boolean
  csv?: CsvAnswer
  upload?: UploadRule
  dialect?: Dialect
  idempotency?: IdempotencyMode | undefined
  /** The handler is given a transaction, and no Idempotency-Key is kept to. */
  isChange?: boolean
  lock?: ((tx: Tx, target: never) => Promise<unknown>) | undefined
  /** The handler of this change opens its own transactions. */
  isOwnChange?: boolean
  rehearse?: (input: never) => Promise<unknown>
  handle: (input: never) => unknown
}

const forgetTypes = (declaration: object): Route => checkRoute(declaration as Route)

export function defineRoute<
  Params extends Optional = undefined,
  Query extends Optional = undefined,
  Body extends z.ZodType | undefined = undefined,
  Status extends number = number,
  Reply extends z.ZodType | null = null,
  Mode extends IdempotencyMode | undefined = undefined,
  By extends Caller = Caller,
>(declaration: RouteDeclaration<Params, Query, Body, Status, Reply, Mode, By>): Route {
  return forgetTypes(declaration)
}

/** Entity tags come with every read that may be kept. */
export const isCacheable = (route: Route) => route.method === 'GET' && route.showsSecret !== true

/** A PATCH, PUT or DELETE in one transaction. Where a GET of the same path shows what it changes, it keeps to `If-Match`. */
export const defineChange = <
  Params extends Optional = undefined,
  Query extends Optional = undefined,
  Body extends z.ZodType | undefined = undefined,
  Status extends number = number,
  Reply extends z.ZodType | null = null,
  By extends Caller = Caller,
>(
  declaration: ChangeDeclaration<Params, Query, Body, Status, Reply, By>,
): Route => forgetTypes({ ...declaration, isChange: true })

/** A change whose handler opens its own transactions, because it calls a provider between them. */
export const defineOwnChange = <
  Params extends Optional = undefined,
  Query extends Optional = undefined,
  Body extends z.ZodType | undefined = undefined,
  Status extends number = number,
  Reply extends z.ZodType | null = null,
  By extends Caller = Caller,
>(
  declaration: OwnChangeDeclaration<Params, Query, Body, Status, Reply, By>,
): Route => forgetTypes({ ...declaration, isOwnChange: true })

/** What the route means for agents as an operation that changes something; null when it is a read or not offered. */
export const agentActOf = ({ agentTool }: Route): AgentAct | null =>
  typeof agentTool === 'object' && 'decision' in agentTool ? agentTool : null

/** Throws for a route that leaves out what it must declare. */
export function checkRoute(route: Route): Route {
  const { id, method, access, body, agentTool } = route
  const isOurs = route.dialect === undefined
  const needsMode = isOurs && method === 'POST' && access.type === 'key'
  if (needsMode && route.idempotency === undefined)
    throw new Error(`route ${id} is a POST and must say how it keeps to Idempotency-Key`)
  if (method === 'GET' && body !== undefined) throw new Error(`route ${id} is a GET with a body`)
  if (agentTool !== undefined && (agentActOf(route) === null) !== (method === 'GET'))
    throw new Error(`route ${id} is offered to agents and must declare what it reads or changes`)
  return route
}

/** Routes, given what their handlers work with. They use nothing of it until they are called. */
export type RouteList<Context> = (context: Context) => Route[]

/** Stands for all that handlers work with where routes are only read, which needs no running server. */
export const unserved: never = new Proxy(() => {}, { get: () => unserved, apply: () => unserved }) as never

/**
 * The conventions of another API that we imitate. A separate surface serves a route with a dialect, and this code only
 * describes it: its errors have the form of that API, and its body may be something other than JSON.
 */
export type Dialect = {
  bodyType?: string
  /** Responses by status. */
  describeErrors(components: Components): [string, JsonObject | Reference][]
}
