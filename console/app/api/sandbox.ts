import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import type { SessionView } from './generated.ts'

export const sandboxQuery = queryOptions({
  queryKey: ['sandbox'],
  queryFn: ({ signal }) => call('GET /api/console/sandbox', { signal }),
})
export const createSandbox = () => call('POST /api/console/sandbox')
export const resetSandbox = () => call('POST /api/console/sandbox/reset')
export const advanceSandbox = (seconds: number) => call('POST /api/console/sandbox/advance', { body: { seconds } })

export const isInSandbox = (session: SessionView): boolean => session.organization.sandbox_of !== null

/** The other one of a live organization and its sandbox; null without a sandbox. */
export const findTwin = ({ organization, organizations }: SessionView): string | null =>
  organization.sandbox_of ?? organizations.find(({ sandbox_of }) => sandbox_of === organization.id)?.id ?? null

/** A sandbox has the name of its live organization. */
export const nameWith = (
  { name, sandbox_of }: Pick<SessionView['organization'], 'name' | 'sandbox_of'>,
  sandboxWord: string,
): string => (sandbox_of === null ? name : `${name} · ${sandboxWord}`)

/** The live organizations besides the one that is worked in, or that the sandbox belongs to. */
export const otherOrganizations = ({ organization, organizations }: SessionView) =>
  organizations.filter(
    ({ id, sandbox_of }) => sandbox_of === null && id !== organization.id && id !== organization.sandbox_of,
  )
