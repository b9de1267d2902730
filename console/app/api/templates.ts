import type * as Sdk from '../../../sdk/src/generated/types.ts'
import { call } from './client.ts'

export const createTemplate = (body: Sdk.NewTemplate, idempotencyKey: string) =>
  call('POST /api/proxy/templates', { body, idempotencyKey })
export const deleteTemplate = (name: string, query: Sdk.DeleteTemplateQuery) =>
  call('DELETE /api/proxy/templates/{name}', { params: { name }, query })
