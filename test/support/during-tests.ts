import { afterAll, beforeAll } from 'bun:test'

/**
 * Something that is started before the tests of a file and stopped after them, usable from the top of the file: what is
 * read of it inside tests and hooks is read of what runs.
 */
export function duringTests<Value extends object>(
  name: string,
  start: () => Promise<{ value: Value; stop: () => Promise<void> }>,
): Value {
  const holder: { running?: { value: Value; stop: () => Promise<void> } } = {}
  beforeAll(async () => {
    holder.running = await start()
  })
  afterAll(async () => {
    await holder.running?.stop()
  })
  return new Proxy({} as Value, {
    get(_, member) {
      if (holder.running === undefined) throw new Error(`${name} can be used only inside tests and hooks`)
      return Reflect.get(holder.running.value, member)
    },
  })
}
