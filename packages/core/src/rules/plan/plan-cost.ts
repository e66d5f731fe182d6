/** What a server bills for one collection of a plan, in bytes. Null where it could not be asked. */
export interface PlanCost {
  readonly address: string
  /** One read for keys. There is at least one, and one more for each list of keys that the connector sends. */
  readonly find: number | null
  /** One count of rows that may belong to the person. */
  readonly count?: number | null
  /** One batch that is written, with the counts that it rests on. Absent where nothing is written. */
  readonly write?: number | null
  /** Reading a batch again. When all is written, every row is read again once more. */
  readonly readAgain?: number | null
  /** The server refuses a statement that is billed for more. */
  readonly most?: number
}

const kinds = [
  ['find', 'finding'],
  ['count', 'counting undecided rows'],
  ['write', 'writing a batch'],
  ['readAgain', 'reading it again'],
] as const

/** The steps that a server would refuse, because they are billed for more than its limit. */
export function refusedSteps(cost: PlanCost): readonly string[] {
  const { most } = cost
  return most === undefined ? [] : kinds.flatMap(([kind, name]) => ((cost[kind] ?? 0) > most ? [name] : []))
}

/** The costs for people. Empty where nothing is billed. */
export function costText(costs: readonly PlanCost[]): string[] {
  if (costs.length === 0) return []
  const lines = ['', 'Billed for each statement, at least once each, as the server says without running it:']
  for (const cost of costs) {
    const steps = kinds.flatMap(([kind, name]) => {
      const bytes = cost[kind]
      return bytes === undefined ? [] : [`${name} ${bytes === null ? 'unknown' : bytesText(bytes)}`]
    })
    lines.push(`- ${cost.address}: ${steps.join(', ')}`)
    const refused = refusedSteps(cost)
    if (refused.length > 0)
      lines.push(
        `  refused, since more than ${bytesText(cost.most as number)} may not be billed: ${refused.join(', ')}; raise the limit of the connector, or narrow the collection with a 'partition_filter'`,
      )
  }
  return lines
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

function bytesText(bytes: number): string {
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10))
  return `${Math.round((bytes / 1024 ** power) * 10) / 10} ${units[power]}`
}
