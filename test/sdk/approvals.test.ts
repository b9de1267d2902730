import { describe, expect, test } from 'bun:test'
import { ApprovalNeededError, PermissionError, TimeoutError } from '../../sdk/src/nexkit.ts'
import { useSdkServer } from '../support/sdk.ts'

const server = useSdkServer()

/** What has to be asked, and the program of an agent that asks it. */
const anAsked = async (text: string) => {
  const { token } = await server.shop.anAgent()
  const { nexkit, seen } = await server.behind(() => 'pass', { token, agentSession: 'chat-1' })
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

  test('is not waited for longer than was said', async () => {
    const { nexkit, error } = await anAsked('nobody is there')
    const waiting = nexkit.approvals.wait(error.approval.id, { pollMs: 20, timeoutMs: 60 })
    await expect(waiting).rejects.toBeInstanceOf(TimeoutError)
  })
})
