import { buildTables } from './build-tables.js'
import { buildPersons, fillWorld } from './fill-world.js'
import { type Person, subject, type World, type WorldTable } from './world.js'
import { isRare, type WorldShape } from './world-shape.js'

/** How the subject says who she is: in ways that are hers alone, all properties of an object together. */
function asked(shape: WorldShape, people: readonly Person[], tables: readonly WorldTable[]): World['identities'] {
  const { email, pastEmail, phone } = people[subject] as Person
  const written = isRare(shape.spelling, 10) ? email.toUpperCase() : email
  const hasPhones = tables[0]?.identities['phone'] !== undefined
  const isHersAlone = (of: 'email' | 'phone', value: string) =>
    people.every((person, at) => at === subject || person[of] !== value)
  if (hasPhones && shape.request >= 55 && shape.request < 75) return [{ email: written, phone }]
  if (shape.request >= 75 && shape.request < 85 && isHersAlone('email', pastEmail))
    return [{ email: written }, { email: pastEmail }]
  if (hasPhones && shape.request >= 85 && isHersAlone('phone', phone)) return [{ email: written }, { phone }]
  return [{ email: written }]
}

/** A world with its truth. The same shape makes the same one. */
export function buildWorld(shape: WorldShape): World {
  const built = buildTables(shape)
  const people = buildPersons(shape)
  return {
    ...built,
    people,
    rows: fillWorld(built, shape, people),
    identities: asked(shape, people, built.tables),
  }
}
