import type { OrgId } from '../../kernel/ids.ts'

/**
 * What receives the hooks of a network or a payment provider. Each capability lists its own, and surfaces/hooks serves all
 * of them at `/hooks/{name}/{id}`.
 */
export type HookReceiver = {
  /** The connector that the path names. */
  name: string
  /** The prefix of its ids: the simulators of two capabilities share a name. */
  idPrefix: string
  methods: readonly string[]
  /** Takes out of a body what the request log shall not keep, beside secrets. */
  maskForLog?(body: string): string
  receive(id: string, hook: Hook): Promise<HookReply>
}

export type Hook = { method: string; query: URLSearchParams; headers: Headers; body: Uint8Array }

export type HookReply = {
  status: number
  body: string
  contentType: string
  /** The owner of the hook, for the log; null when it is unknown. */
  owner: { orgId: OrgId; id: string } | null
  /** Why it was refused: for the log, not for the sender. */
  detail: string | null
}
