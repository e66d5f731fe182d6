import { expect, it } from 'vitest'
import { refusingRule } from './refusing-rule.js'

const ask = async () => []

it.each([
  [
    547,
    'The DELETE statement conflicted with the REFERENCE constraint "orders_person". The conflict occurred in database "shop", table "dbo.orders", column \'person_id\'.',
    { constraint: 'orders_person' },
  ],
  [
    547,
    'The UPDATE statement conflicted with the CHECK constraint "of_age". The conflict occurred in database "shop", table "dbo.people", column \'age\'.',
    { constraint: 'of_age' },
  ],
  [
    547,
    'The DELETE statement conflicted with the SAME TABLE REFERENCE constraint "boss". The conflict occurred in database "shop", table "dbo.people", column \'boss_id\'.',
    { constraint: 'boss' },
  ],
  [
    2627,
    "Violation of UNIQUE KEY constraint 'handle'. Cannot insert duplicate key in object 'dbo.people'. The duplicate key value is (with unique index 'secret').",
    { constraint: 'handle' },
  ],
  [
    2601,
    "Cannot insert duplicate key row in object 'dbo.it''s' with unique index 'handle'. The duplicate key value is (ann).",
    { constraint: 'handle' },
  ],
  [
    515,
    "Cannot insert the value NULL into column 'name', table 'shop.dbo.people'; column does not allow nulls. UPDATE fails.",
    { column: 'name' },
  ],
  [
    2628,
    "String or binary data would be truncated in table 'shop.dbo.people', column 'name'. Truncated value: 'column ''secret''.'.",
    { column: 'name' },
  ],
  [8102, "Cannot update identity column 'id'.", { column: 'id' }],
  [1205, 'Transaction was deadlocked', {}],
])('%i names its rule', async (number, message, expected) => {
  expect(await refusingRule({ number, message }, ask)).toEqual(expected)
  // the driver puts several errors into one
  expect(await refusingRule({ errors: [{ number: 3621 }, { number, message }] }, ask)).toEqual(expected)
})

it('the words of a trigger name nothing', async () => {
  const message = "Cannot insert the value NULL into column 'ann@example.com', table 't'"
  expect(await refusingRule({ number: 50_000, message }, ask)).toEqual({})
})
