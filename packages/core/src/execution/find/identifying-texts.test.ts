import { expect, it } from 'vitest'
import { objectId } from '../../model/value.js'
import { identifyingTexts } from './identifying-texts.js'

const ann = { email: 'Ann@X.org' }
const id = 'a0eebc99a0eebc99a0eebc99'

it.each([
  ['an address in upper or lower case', [ann], ' ann@x.ORG\n', true],
  ['a look-alike of an address', [{ email: 'mark@X.org' }], 'mar\u212a@x.org', false],
  ['an address within a text', [ann], 'write to Ann@X.org', false],
  ['an address of an identity with other properties', [{ ...ann, name: 'Ann' }], 'ann@x.org', true],
  ['a value that counts only together with another property', [{ ...ann, name: 'Green' }], 'Green', false],
  ['a value that is an identity by itself', [{ handle: 'ann-1' }], 'ann-1', true],
  ['the same value in another case', [{ handle: 'ann-1' }], 'Ann-1', false],
  ['a few digits', [{ user_id: '7' }], '7', false],
  ['many digits', [{ phone_number: '5551234' }], '5551234', true],
  ['a number', [{ user_id: 7 }], 7, false],
  ['an id with its own type', [{ user_id: id }], objectId(id), true],
  ['an empty address', [{ email: ' ' }], '', false],
])('%s', (_, identities, value, isFound) => {
  expect(identifyingTexts(identities as never)([1, value], ['id', 'text'])).toEqual(isFound ? ['text'] : [])
})

it('names members of objects, and members of list elements once', () => {
  const contact = {
    mail: 'ann@x.org',
    others: [{ mail: 'ann@x.org' }, { mail: 'ann@x.org' }, null],
  }
  expect(identifyingTexts([ann])([contact], ['contact'])).toEqual(['contact.mail', 'contact.others.mail'])
})
