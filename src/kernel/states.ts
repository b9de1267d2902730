/**
 * A state machine as a table: state, then action, then the state it leads to. No callbacks: moving is the business of the
 * capability, which does it in one transaction with whatever else has to happen. From the table come the type of a state,
 * the question whether something can be done, the statement's list of states it may be done from, and the picture in the
 * docs.
 */
type Table = Record<string, Record<string, string>>

type Actions<States extends Table> = { [State in keyof States]: keyof States[State] }[keyof States] & string

export type States<Name extends string = string, Action extends string = string> = {
  name: string
  all: readonly Name[]
  /** Those that something new may be in. */
  initial: readonly Name[]
  /** Those that nothing leads out of. */
  final: readonly Name[]
  /** Where an action leads; null where it is not possible. */
  next(from: Name, action: Action): Name | null
  can(from: Name, action: Action): boolean
  /** Every state from which the action is possible. */
  from(action: Action): Name[]
  moves: readonly { from: Name; action: Action; to: Name }[]
}

export type StateOf<Machine> = Machine extends States<infer Name, string> ? Name : never

export function defineStates<const Rows extends Table>(
  name: string,
  table: Rows & { [State in keyof Rows]: Record<string, keyof Rows & string> },
  initial: readonly (keyof Rows & string)[],
): States<keyof Rows & string, Actions<Rows>> {
  type Name = keyof Rows & string
  type Action = Actions<Rows>
  const rows: Record<Name, Partial<Record<Action, Name>>> = table
  const all = namesOf(rows)
  const moves = all.flatMap((from) =>
    namesOf(rows[from]).flatMap((action) => {
      const to = rows[from][action]
      return to === undefined ? [] : [{ from, action, to }]
    }),
  )
  const unknown = moves.find(({ to }) => !all.includes(to))
  if (unknown !== undefined) throw new Error(`${name}: ${unknown.from} leads to the unknown state ${unknown.to}`)
  const next = (from: Name, action: Action) => rows[from]?.[action] ?? null
  return {
    name,
    all,
    initial,
    final: all.filter((state) => namesOf(rows[state]).length === 0),
    next,
    can: (from, action) => next(from, action) !== null,
    from: (action) => moves.flatMap((move) => (move.action === action ? [move.from] : [])),
    moves,
  }
}

const namesOf = <Name extends string>(record: Partial<Record<Name, unknown>>) => Object.keys(record) as Name[]

/** States that no path from an initial one leads to: a table should have none. */
export function unreachableStates<Name extends string>({ all, initial, moves }: States<Name>): Name[] {
  const reached = new Set<Name>(initial)
  for (let before = -1; before !== reached.size; ) {
    before = reached.size
    for (const { from, to } of moves) if (reached.has(from)) reached.add(to)
  }
  return all.filter((state) => !reached.has(state))
}

/** The table as Markdown, one line per move. */
export function drawStates({ initial, final, moves }: Pick<States, 'initial' | 'final' | 'moves'>): string {
  const rows = [
    ...initial.map((state) => `| – | create | \`${state}\` |`),
    ...moves.map(({ from, action, to }) => `| \`${from}\` | ${action} | \`${to}\` |`),
  ]
  const ends = final.map((state) => `\`${state}\``).join(', ')
  return ['| from | action | to |', '|---|---|---|', ...rows, '', `Final: ${ends}.`].join('\n')
}
