import { describe, expect, test } from 'bun:test'
import { ApprovalNeededError, ConnectionError, PermissionError, TimeoutError } from '../../sdk/src/nexkit.ts'
import { type Trouble, useSdkServer } from '../support/sdk.ts'
import { until } from '../support/until.ts'

const server = useSdkServer()

/** What has to be asked, and the program of an agent that asks it. */
const anAsked = async (text: string, trouble: Trouble = () => 'pass') => {
  const { token } = await server.shop.anAgent()
  const { nexkit, seen } = await server.behind(trouble, { token, agentSession: 'chat-1', retries: 0 })
  const send = (options: { approvalId?: string } = {}) =>
    nexkit.messages.send({ to: '081344440001', body: text }, { idempotencyKey: text.replaceAll(' ', '-'), ...options })
  const error = await send().catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ApprovalNeededError)
  return { nexkit, seen, send, error: error as ApprovalNeededError }
}

describe('a write of an agent that a person has to approve', () => {
  test('throws with the approval, and nothing was done', async () => {
    const { error, seen } = await anAsked('may I')
    expect(error).toMatchObject({ status: 202, code: null, approval: { status: 'pending', operation: 'sendMessage' } })
    expect(error.requestId).toMatch(/^req_/)
    expect(error.message).toContain(error.approval.id)
    expect(seen.map(({ headers }) => headers['agent-session'])).toEqual(['chat-1'])
    expect((await server.client().messages.list({ q: 'may I' })).data).toEqual([])
  })

  test('is waited for, and gives what it answered once it ran', async () => {
    const { nexkit, send, error } = await anAsked('approved')
    const waiting = nexkit.approvals.wait(error.approval.id, { pollMs: 20 })
    await server.client().approvals.approveRequest(error.approval.id, { note: 'fine' })
    const approval = await waiting
    expect(approval).toMatchObject({ status: 'done', note: 'fine', result: { status: 201 } })
    const message = await send({ approvalId: approval.id })
    expect(message).toMatchObject({ object: 'message', body: 'approved' })
    expect(approval.result?.body).toMatchObject({ id: message.id })
  })

  test('that is refused ends the wait, and the same request is a PermissionError', async () => {
    const { nexkit, send, error } = await anAsked('refused')
    await server.client().approvals.refuseRequest(error.approval.id)
    expect((await nexkit.approvals.wait(error.approval.id)).status).toBe('refused')
    const again = send().withResponse()
    await expect(again).rejects.toBeInstanceOf(PermissionError)
    await expect(again).rejects.toMatchObject({ code: 'approval_refused' })
  })

  test('is waited for as long as was said and no longer, however rarely it is asked for', async () => {
    const { nexkit, error } = await anAsked('no one decides')
    const startedMs = performance.now()
    const waiting = nexkit.approvals.wait(error.approval.id, { pollMs: 60_000, timeoutMs: 200 })
    await expect(waiting).rejects.toBeInstanceOf(TimeoutError)
    // Timers may be early by less than a millisecond.
    expect(performance.now() - startedMs).toBeGreaterThan(195)
  })

  test('is waited for while the server is away', async () => {
    let isAway = false
    const { nexkit, seen, error } = await anAsked('away for a while', () => (isAway ? 'cut' : 'pass'))
    const waiting = nexkit.approvals.wait(error.approval.id, { pollMs: 20 })
    // The request, a first poll, and the next one, which starts only once the first was answered.
    await until(() => seen.length > 2)
    isAway = true
    const before = seen.length
    await until(() => seen.length > before + 3)
    isAway = false
    await server.client().approvals.approveRequest(error.approval.id)
    expect((await waiting).status).toBe('done')
  })

  test('is not waited for where it cannot be seen at all', async () => {
    const { nexkit } = await server.behind(() => 'cut', { retries: 0 })
    await expect(nexkit.approvals.wait('apr_1')).rejects.toBeInstanceOf(ConnectionError)
    await expect(server.client().approvals.wait('apr_1')).rejects.toMatchObject({ code: 'approval_not_found' })
  })
})
