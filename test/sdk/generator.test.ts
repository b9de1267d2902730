import { describe, expect, test } from 'bun:test'
import type { Description, Operation, Schema } from '../../scripts/sdk-description.ts'
import { sdkResources } from '../../scripts/sdk-resources.ts'
import { sdkTypes } from '../../scripts/sdk-types.ts'
import { sdkMethod } from '../../src/surfaces/docs/description.ts'

const json = (schema: Schema) => ({ content: { 'application/json': { schema } } })

const anOperation = (operationId: string, fields: Partial<Operation> = {}): Operation => ({
  ...{ operationId, tags: ['Parcels'], summary: 'Do it', description: 'It is done.' },
  responses: { 200: json({ $ref: '#/components/schemas/Parcel' }) },
  ...fields,
})

const aDescription = (paths: Description['paths'], schemas: Record<string, Schema> = {}): Description => ({
  servers: [{ url: '/api/public/v1' }],
  paths,
  webhooks: {},
  components: { schemas: { Parcel: { type: 'object', properties: { id: { type: 'string' } } }, ...schemas } },
})

describe('the name of a method', () => {
  test.each([
    ['createOrder', 'orders', 'create'],
    ['listOrders', 'orders', 'list'],
    ['createOrderRefund', 'orders', 'createRefund'],
    ['markOrderPaid', 'orders', 'markPaid'],
    ['listDeliveries', 'deliveries', 'list'],
    ['rotateWebhookSecret', 'webhookEndpoints', 'rotateSecret'],
    ['listWebhookRecoveries', 'webhookEndpoints', 'listRecoveries'],
    ['listEventTypes', 'eventTypes', 'list'],
    ['getMe', 'me', 'get'],
    ['orderParcel', 'orders', 'orderParcel'],
  ])('%s of %s is %s', (operationId, group, name) => expect(sdkMethod(operationId, group)).toBe(name))

  test('is never that of two operations', () => {
    const description = aDescription({
      '/parcels/{id}': { get: anOperation('getParcel') },
      '/parcels/newest': { get: anOperation('getParcels') },
    })
    expect(() => sdkResources(description)).toThrow('two operations of parcels would be called get')
  })
})

describe('a method', () => {
  test('takes path, body, query and options, in this order', () => {
    const operation = anOperation('moveParcel', {
      parameters: [
        { name: 'parcel_id', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'fast', in: 'query', schema: { type: 'boolean' } },
        { $ref: '#/components/parameters/IdempotencyKey' } as never,
      ],
      requestBody: { ...json({ $ref: '#/components/schemas/Move' }), required: true },
    })
    expect(sdkResources(aDescription({ '/parcels/{parcel_id}/move': { post: operation } }))).toContain(
      `  move(parcelId: string, body: Move, query: MoveParcelQuery = {}, options: PostOptions = {}): Reply<Parcel> {
    return this.#transport.call<Parcel>({ method: 'POST', path: \`/parcels/\${pathValue(parcelId)}/move\`, body, query }, options)`,
    )
  })

  test('takes a file in the place of the body, and has a second form where the answer can be CSV', () => {
    const form = { content: { 'multipart/form-data': {} } } as never
    const answer = json({ $ref: '#/components/schemas/Parcel' })
    const csv = { 200: { content: { ...answer.content, 'text/csv': {} } } }
    const text = sdkResources(
      aDescription({ '/parcels': { post: anOperation('importParcels', { requestBody: form, responses: csv }) } }),
    )
    expect(text).toContain('import(file: FileInput, options')
    expect(text).toContain("call<Parcel>({ method: 'POST', path: '/parcels', file }, options)")
    expect(text).toContain("csv({ method: 'POST', path: '/parcels', file }, options)")
  })

  test('is left out where it speaks the dialect of Meta', () => {
    const operation = anOperation('sendParcel', { tags: ['Cloud API'] })
    expect(sdkResources(aDescription({ '/v1/parcels': { post: operation } }))).not.toContain('sendParcel')
  })
})

describe('a type', () => {
  const closed: Schema = { type: ['string', 'null'], enum: ['here', 'gone', null] }
  const open: Schema = { type: ['string', 'null'], 'x-extensible-enum': ['here', 'gone'] }
  const typesOf = (schema: Schema, place: 'request' | 'answer') => {
    const used = json({ $ref: '#/components/schemas/Thing' })
    const operation = place === 'request' ? { requestBody: used } : { responses: { 200: used } }
    const text = sdkTypes(aDescription({ '/things': { post: anOperation('doThing', operation) } }, { Thing: schema }))
    return /export type Thing = ([\s\S]*?)\n(?:\n|$)/.exec(text)?.[1]
  }

  test('has open enums in what we answer, and closed ones in what we take', () => {
    const schemaOf = (status: Schema) => ({ type: 'object', properties: { status }, required: ['status'] })
    expect(typesOf(schemaOf(open), 'answer')).toBe("{\n  status: Open<'here' | 'gone'> | null\n}")
    expect(typesOf(schemaOf(closed), 'request')).toBe("{\n  status: 'here' | 'gone' | null\n}")
  })

  test('lets what may be left out be undefined in what we take', () => {
    const schema = { type: 'object', properties: { note: { type: 'string', description: 'Yours.' } } }
    expect(typesOf(schema, 'request')).toBe('{\n  /** Yours. */\n  note?: string | undefined\n}')
    expect(typesOf(schema, 'answer')).toBe('{\n  /** Yours. */\n  note?: string\n}')
  })

  test('of which exactly one member is required has each in turn', () => {
    const text: Schema = { type: 'string' }
    const schema = { properties: { id: text, link: text }, oneOf: [{ required: ['id'] }, { required: ['link'] }] }
    expect(typesOf(schema, 'request')).toBe(
      '({\n  id: string\n  link?: undefined\n} | {\n  link: string\n  id?: undefined\n})',
    )
  })

  test('cannot be left early by a description', () => {
    expect(typesOf({ properties: { a: { type: 'string', description: 'a */ b' } } }, 'answer')).toContain(
      '/** a *\\/ b */',
    )
  })
})
