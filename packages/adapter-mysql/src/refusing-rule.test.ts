import { expect, it } from 'vitest'
import { refusingRule } from './refusing-rule.js'

const names = ['email', 'fk', 'adult', 'name']
const ask = async (_: string, asked: readonly unknown[]) => (names.includes(String(asked[0])) ? [[1]] : [])
const named = (errno: number, message: string, sqlState = '23000') => refusingRule({ errno, message, sqlState }, ask)

it.each([
  [1062, `Duplicate entry 'ann' for key 'secret' for key 'people.email'`, { constraint: 'email' }],
  [1062, `Duplicate entry 'a' for key 'email'`, { constraint: 'email' }],
  [
    1451,
    'Cannot delete or update a parent row: a foreign key constraint fails (`a`.`b`, CONSTRAINT `fk` FOREIGN KEY (`x`) REFERENCES `c` (`id`))',
    { constraint: 'fk' },
  ],
  [3819, `Check constraint 'adult' is violated.`, { constraint: 'adult' }],
  [4025, 'CONSTRAINT `adult` failed for `a`.`b`', { constraint: 'adult' }],
  [1048, `Column 'name' cannot be null`, { column: 'name' }],
  [1406, `Data too long for column 'name' at row 1`, { column: 'name' }],
  [1366, "Incorrect string value: '\\xE6' for column `a`.`b`.`name` at row 1", { column: 'name' }],
  [1213, 'Deadlock found', {}],
])('%i names its rule: %s', async (errno, message, expected) => {
  expect(await named(errno, message)).toEqual(expected)
})

it('the words of a trigger name nothing', async () => {
  expect(await named(1048, `Column 'ann@example.com' cannot be null`)).toEqual({})
  expect(await named(1062, `Duplicate entry 'a' for key 'ann@example'`)).toEqual({})
  expect(await named(1048, `Column 'ann@example.com' cannot be null`, '45000')).toEqual({})
})
