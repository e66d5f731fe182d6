import { appendTo } from '../value/append-to.js'

/** What a declaration or one of its datasets holds of the values of a rule. */
export interface HeldPart {
  readonly categories: readonly string[]
  /** The qualifier that counts. */
  readonly qualifier: string
  /** Absent where the declaration itself names the data. */
  readonly dataset?: string
}

/** The parts of each declaration. It keeps only those that add a category, so there are as many as a rule has values and keys below them. */
export function heldTogether<Declaration extends object>() {
  const parts = new Map<Declaration, HeldPart[]>()
  const metAlone = new WeakSet<Declaration>()
  return {
    add(declaration: Declaration, part: HeldPart): void {
      if (metAlone.has(declaration)) return
      const held = parts.get(declaration) ?? []
      const isNew = part.categories.some((key) => held.every(({ categories }) => !categories.includes(key)))
      if (isNew) appendTo(parts, declaration, part)
    },

    /** One place holds all that the rule asks for, so what is held together says nothing more. */
    leaveOut(declaration: Declaration): void {
      metAlone.add(declaration)
      parts.delete(declaration)
    },

    /** Declarations of which more than one part holds something. */
    several: (): [Declaration, readonly HeldPart[]][] => [...parts].filter(([, held]) => held.length > 1),
  }
}
